"""Statements that are asked together."""

from __future__ import annotations

import pytest

import tacit

COUNTS = ["SELECT count(*) AS n FROM visits", "SELECT hour, count(*) AS n FROM visits GROUP BY hour ORDER BY hour;"]


def test_answers_come_in_order_for_one_price(clinic: tacit.Workspace) -> None:
    before = clinic.budget().spent
    batch = clinic.query_batch(COUNTS, epsilon=2, max_rows=4)
    assert len(batch) == 2 and isinstance(batch[0].scalar(), int)
    assert batch[1]["hour"].values == [9, 10, 11, 12] and batch[0].question.startswith("SELECT count")
    assert batch[0].cost == batch[1].cost and clinic.budget().spent != before
    assert batch[0].entry == batch[1].entry is not None and "for all" in str(batch)
    assert batch[0].certificate is not None and all("statements" not in each for each in batch[0].certificate["releases"])
    spent = clinic.budget().spent
    again = clinic.query_batch(";".join(each.rstrip(";") for each in COUNTS), epsilon=2, max_rows=4)
    assert [each.on_record for each in again] == [True, True] and clinic.budget().spent == spent
    assert [list(each.rows()) for each in again] == [list(each.rows()) for each in batch[:]]


def test_all_are_answered_or_none(clinic: tacit.Workspace) -> None:
    before = clinic.budget().spent
    with pytest.raises(tacit.QueryRefused):
        clinic.query_batch([COUNTS[0], "SELECT person FROM visits"], epsilon=1, max_rows=4)
    with pytest.raises(tacit.BudgetExceeded):
        clinic.query_batch(COUNTS, epsilon=1000, max_rows=4)
    assert clinic.budget().spent == before
