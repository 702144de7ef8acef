"""Questions, their answers, and what the ledger has to say of them."""

from __future__ import annotations

import datetime
import decimal
import fractions
import json
from pathlib import Path

import pytest
from conftest import run

import tacit

COUNT = "SELECT count(*) AS n FROM visits"


def entries(folder: Path) -> int:
    shown = run("ledger", "verify", "--json", "--workspace", folder)
    sequence = json.loads(shown.stdout)["head"]["sequence"]
    assert isinstance(sequence, int)
    return sequence


def test_an_answer_is_near_the_truth_and_says_how_near(clinic: tacit.Workspace) -> None:
    answer = clinic.query(COUNT, epsilon=1, max_rows=4)
    count = answer.scalar()
    assert isinstance(count, int) and abs(count - 400) < 200
    column = answer["n"]
    assert (column.type, column.interval) == ("integer", "exact")
    assert column.half_widths is not None and column.half_widths[0] == pytest.approx(12)
    assert answer.confidence == 0.95 and len(answer) == 1 and list(answer.rows()) == [(count,)]


def test_it_is_charged_before_and_certified_after(clinic: tacit.Workspace, folder: Path) -> None:
    before = clinic.budget()
    answer = clinic.query(COUNT, epsilon=1, max_rows=4)
    assert entries(folder) == 4  # the ledger, two accounts, the question
    assert answer.account == "clinic/ana" and not answer.on_record
    assert answer.cost["divergences"][0] > 0
    after = clinic.budget()
    assert after.remaining == answer.remaining != before.remaining
    assert after.spent == answer.cost
    certificate = answer.certificate
    assert certificate is not None
    assert certificate["format"] == "tacit certificate" and certificate["question"] == COUNT
    assert certificate["guarantee"]["epsilon"] == "1" and certificate["ledger"]["who"] == "ana"


def test_the_same_again_is_the_release_on_record(clinic: tacit.Workspace, folder: Path) -> None:
    first = clinic.query(COUNT, epsilon=1, max_rows=4)
    again = tacit.open(folder).query(COUNT, epsilon=1, max_rows=4, analyst="ana")
    assert again.on_record and again.cost["divergences"] == [0] and again.scalar() == first.scalar()
    assert "free of charge. fresh=True pays" in str(again)
    # So it is for the command, whose road this is.
    shown = run("query", "--workspace", folder, "--as", "ana", "--epsilon", "1", "--max-rows", "4", "--json", COUNT)
    told = json.loads(shown.stdout)
    assert told["on_record"] and told["rows"] == [[first.scalar()]]
    assert entries(folder) == 4
    assert not clinic.query(COUNT, epsilon=1, max_rows=4, fresh=True).on_record
    assert entries(folder) == 5


def test_groups_come_with_their_keys(clinic: tacit.Workspace) -> None:
    answer = clinic.query(
        "SELECT hour, count(*) AS n FROM visits GROUP BY hour ORDER BY hour", epsilon=2, max_rows=4
    )
    assert answer["hour"].values == [9, 10, 11, 12]
    assert answer["hour"].half_widths is None and answer["hour"].interval == "none"
    with pytest.raises(KeyError):
        answer["nobody"]
    with pytest.raises(tacit.InputError, match="4 rows and 2 columns"):
        answer.scalar()


def test_values_are_of_pythons_own_kinds(clinic: tacit.Workspace) -> None:
    answer = clinic.query(
        "SELECT 12.50 AS price, avg(minutes) AS minutes, DATE '2026-02-28' AS day, "
        "TIMESTAMP '2026-02-28 12:30:00' AS moment, 'Oslo' AS city, NULL::DATE AS never, "
        "DATE '20000-01-01' AS beyond FROM visits",
        epsilon=5,
        max_rows=4,
    )
    values = {column.name: column.values[0] for column in answer.columns}
    assert isinstance(values["price"], decimal.Decimal) and str(values["price"]) == "12.50"
    assert isinstance(values["minutes"], float)
    assert values["day"] == datetime.date(2026, 2, 28)
    assert values["moment"] == datetime.datetime(2026, 2, 28, 12, 30)
    assert values["city"] == "Oslo" and values["never"] is None
    assert values["beyond"] == "20000-01-01"


@pytest.mark.parametrize("epsilon", [0.5, "0.5", "1/2", decimal.Decimal("0.5"), fractions.Fraction(1, 2)])
def test_a_number_means_what_it_is_written_as(
    clinic: tacit.Workspace, epsilon: float | str | decimal.Decimal | fractions.Fraction
) -> None:
    assert clinic.plan(COUNT, epsilon=epsilon, max_rows=4).facts["epsilon"] == "0.5"


def test_a_plan_charges_nothing(clinic: tacit.Workspace, folder: Path) -> None:
    plan = clinic.plan(COUNT, epsilon=1, max_rows=4)
    assert plan.fits and plan.cost["divergences"][0] > 0
    assert plan.facts["releases"][0]["unit"] == "visits.person"
    assert "No row was read and nothing was charged." in str(plan)
    assert not clinic.plan(COUNT, epsilon=500, max_rows=4).fits
    assert entries(folder) == 3


def test_the_other_ways_to_ask(clinic: tacit.Workspace) -> None:
    wide = clinic.query(COUNT, within=30, max_rows=4)["n"].half_widths
    assert wide is not None and wide[0] is not None and wide[0] <= 30
    learnt = clinic.query(COUNT, epsilon=8, learn=["rows"])
    assert learnt.learned[0]["found"] == 4
    shared = clinic.plan(
        "SELECT count(*) AS n, sum(minutes) AS m FROM visits", epsilon=1, max_rows=4, shares={"n": 3, "m": 1}
    )
    count, minutes = (each["half_width"] for each in shared.facts["releases"][0]["noise"])
    assert minutes / count / 60 == pytest.approx(3, rel=0.1)


def test_public_numbers_cost_nothing(clinic: tacit.Workspace) -> None:
    answer = clinic.query("SELECT 1 + 1 AS two", epsilon=1)
    assert answer.scalar() == 2 and answer.certificate is None and answer.entry is None


def test_accounts_say_what_is_left(clinic: tacit.Workspace) -> None:
    assert [account.name for account in clinic.accounts()] == ["clinic", "clinic/ana"]
    budget = clinic.budget()
    assert (budget.epsilon, budget.delta, budget.neighbours) == (50, 1e-6, "add_remove")
    assert budget.spent["divergences"] == [0] and budget.remaining == budget.cap


def test_a_dataset_without_tables_has_a_budget(tmp_path: Path) -> None:
    made = run("init", tmp_path, "--dataset", "pictures", "--neighbours", "add_remove", "--epsilon", "3", "--delta", "1e-6")
    assert made.returncode == 0, made.stderr
    workspace = tacit.open(tmp_path)
    assert (workspace.budget().name, workspace.budget().epsilon) == ("pictures", 3)
    with pytest.raises(tacit.InputError, match="declares no tables"):
        workspace.query("SELECT count(*) FROM visits", epsilon=1)
