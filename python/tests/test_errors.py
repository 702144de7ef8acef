"""Errors are of named classes, say what to do, and charge nothing."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest
from conftest import run

import tacit

COUNT = "SELECT count(*) AS n FROM visits"


@pytest.mark.parametrize(
    ("sql", "arguments", "kind", "builtin", "text"),
    [
        (COUNT, {"epsilon": 100, "max_rows": 4}, tacit.BudgetExceeded, PermissionError, "is left"),
        ("SELECT * FROM visits", {"epsilon": 1}, tacit.QueryRefused, ValueError, "line 1, column"),
        ("SELEKT", {"epsilon": 1}, tacit.QueryRefused, ValueError, "syntax"),
        (COUNT, {"epsilon": 1}, tacit.QueryRefused, ValueError, "give max_rows, or"),
        (COUNT, {"max_rows": 4}, tacit.InputError, ValueError, "epsilon: say what"),
        (COUNT, {"epsilon": "much", "max_rows": 4}, tacit.InputError, ValueError, "'much' is not a number"),
        (COUNT, {"epsilon": float("nan"), "max_rows": 4}, tacit.InputError, ValueError, "not a number"),
        (COUNT, {"epsilon": 1, "analyst": "bob"}, tacit.InputError, ValueError, "analyst: 'bob' is no analyst"),
        (COUNT, {"epsilon": 1, "dataset": "bank"}, tacit.InputError, ValueError, "bank"),
        (COUNT, {"epsilon": 1, "max_rows": 0}, tacit.InputError, ValueError, "max_rows: '0' is not a count"),
        (COUNT, {"epsilon": 1, "learn": "secrets"}, tacit.InputError, ValueError, "nothing that can be learnt"),
    ],
)
def test_what_is_refused_charges_nothing(
    clinic: tacit.Workspace,
    sql: str,
    arguments: dict[str, Any],
    kind: type[tacit.TacitError],
    builtin: type[Exception],
    text: str,
) -> None:
    before = clinic.accounts()
    with pytest.raises(kind) as caught:
        clinic.query(sql, **arguments)
    assert type(caught.value) is kind
    assert isinstance(caught.value, builtin) and isinstance(caught.value, tacit.TacitError)
    assert text in str(caught.value)
    assert clinic.accounts() == before


def test_it_has_the_words_of_the_command(clinic: tacit.Workspace, folder: Path) -> None:
    with pytest.raises(tacit.BudgetExceeded) as caught:
        clinic.query(COUNT, epsilon=100, max_rows=4)
    said = run("query", "--workspace", folder, "--as", "ana", "--epsilon", "100", "--max-rows", "4", COUNT)
    assert said.returncode == 1
    assert said.stderr == f"tacit: {caught.value}\n"


def test_no_workspace_no_questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(tacit.InputError, match=r"tacit\.toml"):
        tacit.open(tmp_path / "nowhere")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(tacit.InputError):
        tacit.open()


def test_the_current_folder_is_found(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = folder / "inner"
    inner.mkdir()
    monkeypatch.chdir(inner)
    assert tacit.open().folder == folder


def test_a_lost_table_is_the_worlds_fault(clinic: tacit.Workspace, folder: Path) -> None:
    clinic.query(COUNT, epsilon=1, max_rows=4)
    (folder / "ledger.sqlite").write_bytes(b"no ledger at all")
    with pytest.raises(tacit.WorldFailed) as caught:
        tacit.open(folder)
    assert isinstance(caught.value, OSError)


def test_errors_can_be_sent_to_another_process() -> None:
    error = tacit.QueryRefused("no such column", "line 1", "name another")
    back = pickle.loads(pickle.dumps(error))
    assert type(back) is tacit.QueryRefused and str(back) == "line 1: no such column\n  name another"
