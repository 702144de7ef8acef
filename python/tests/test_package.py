"""The package as it is installed."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

import pytest
from conftest import run

import tacit
from tacit._user import user_name


def test_the_command_comes_along_and_is_of_the_same_version() -> None:
    said = run("--version")
    assert said.returncode == 0 and said.stdout.strip() == f"tacit {tacit.__version__}"


def test_so_do_the_drivers() -> None:
    drivers = Path(tacit.__file__).parent / "drivers"
    assert (drivers / "libduckdb.so").exists()
    assert (drivers / "licenses" / "duckdb").is_dir()


def test_the_commands_status_passes_through() -> None:
    assert run("no-such-verb").returncode == 2


def test_a_user_without_a_name_is_known_by_number(monkeypatch: pytest.MonkeyPatch) -> None:
    # As in a container that runs with a number of the host's.
    def unknown(number: int) -> None:
        raise KeyError(f"getpwuid(): uid not found: {number}")

    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    assert user_name() == str(os.getuid())
