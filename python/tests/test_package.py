"""The package as it is installed."""

from __future__ import annotations

from pathlib import Path

from conftest import run

import tacit


def test_the_command_comes_along_and_is_of_the_same_version() -> None:
    said = run("--version")
    assert said.returncode == 0 and said.stdout.strip() == f"tacit {tacit.__version__}"


def test_so_do_the_drivers() -> None:
    drivers = Path(tacit.__file__).parent / "drivers"
    assert (drivers / "libduckdb.so").exists()
    assert (drivers / "licenses" / "duckdb").is_dir()


def test_the_commands_status_passes_through() -> None:
    assert run("no-such-verb").returncode == 2
