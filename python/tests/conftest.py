"""A made-up clinic: 100 people, each with four visits. And ledgers of trainings."""

from __future__ import annotations

import csv
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tacit

# What the steward knows of columns beside their types.
DECLARED = {
    "hour": '{type = "integer", min = 9, max = 12, nulls = false}',
    "minutes": '{type = "integer", min = 0, max = 60}',
    "paid": '{type = "decimal(10,2)", min = 0, max = 100}',
}

# Where there is no PyTorch, or the package was built without it, there is nothing to train with.
TRAINS = importlib.util.find_spec("torch") is not None and any(
    (Path(tacit.__file__).parent / "torch").glob("_native*")
)
collect_ignore_glob = [] if TRAINS else ["test_torch*.py"]


def pytest_report_header() -> str:
    return "private training: " + ("tested" if TRAINS else "left out, there is no tacit.torch")


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """The command that came with the package."""
    command = Path(sys.executable).with_name("tacit")
    return subprocess.run([command, *arguments], capture_output=True, text=True, check=False)


def visits(path: Path) -> None:
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["person", "hour", "minutes", "paid", "city", "day", "member"])
        for i in range(400):
            city = "Bergen" if i % 2 else "Oslo"
            rows.writerow(
                [i % 100, 9 + i // 100, 10 + i % 31, f"{i % 50}.50", city, f"2026-01-{1 + i % 28:02}", i % 2 == 0]
            )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace with the dataset `clinic` and the analyst `ana`."""
    visits(tmp_path / "visits.csv")
    made = run(
        "init", tmp_path, "--dataset", "clinic", "--neighbours", "add_remove", "--epsilon", "60",
        "--delta", "1e-6", "--analyst", "ana=50",
        "--table", f"visits={tmp_path / 'visits.csv'}", "--unit", "visits=person",
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    toml = tmp_path / "tacit.toml"
    text = toml.read_text()
    for column, declared in DECLARED.items():
        text, changed = re.subn(rf"(?m)^{column} = .*", f"{column} = {declared}", text)
        assert changed == 1, text
    toml.write_text(text)
    return tmp_path


@pytest.fixture
def clinic(folder: Path) -> tacit.Workspace:
    return tacit.open(folder, analyst="ana")


@pytest.fixture
def ledgers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where trainings that name no workspace keep their ledger; weights begin alike."""
    import torch

    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    torch.manual_seed(1)
    return tmp_path / "tacit" / "training.sqlite"
