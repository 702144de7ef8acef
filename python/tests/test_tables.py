"""Answers as other libraries take them."""

from __future__ import annotations

import sys

import pandas
import pyarrow
import pytest

import tacit

EVERY_TYPE = (
    "SELECT hour, count(*) AS n, sum(paid) AS paid, 12.50 AS price, avg(minutes) AS minutes, 'Oslo' AS city, "
    "DATE '2026-02-28' AS day, TIMESTAMP '2026-02-28 12:30:00' AS moment, hour > 10 AS late, "
    "CASE WHEN hour > 10 THEN hour END AS some FROM visits GROUP BY hour ORDER BY hour"
)


@pytest.fixture
def answer(clinic: tacit.Workspace) -> tacit.Result:
    return clinic.query(EVERY_TYPE, epsilon=20, max_rows=4)


NAMES = [
    "hour", "n", "n_half_width", "paid", "paid_half_width", "price", "minutes", "minutes_half_width", "city",
    "day", "moment", "late", "some",
]  # fmt: skip


def test_arrow_takes_it(answer: tacit.Result) -> None:
    table = answer.to_arrow()
    table.validate(full=True)
    assert table.column_names == NAMES
    assert table["hour"].to_pylist() == [9, 10, 11, 12]
    assert table["n"].to_pylist() == answer["n"].values
    assert table["price"].to_pylist() == answer["price"].values
    assert table["day"].to_pylist() == answer["day"].values
    assert table["moment"].to_pylist() == answer["moment"].values
    assert table["some"].to_pylist() == [None, None, 11, 12]
    assert table.schema.field("moment").type == pyarrow.timestamp("us")


def test_a_table_outlives_the_answer(clinic: tacit.Workspace) -> None:
    answer = clinic.query(EVERY_TYPE, epsilon=20, max_rows=4)
    values = answer["n"].values
    table = pyarrow.table(answer)
    again = pyarrow.table(answer)
    answer.__arrow_c_stream__()  # one that nobody takes
    del answer
    assert table["n"].to_pylist() == again["n"].to_pylist() == values


def test_pandas_takes_it(answer: tacit.Result) -> None:
    frame = answer.to_pandas()
    assert list(frame.columns) == NAMES
    kinds = {name: str(kind) for name, kind in frame.dtypes.items()}
    assert kinds["n"] == "int64" and kinds["n_half_width"] == "float64"
    assert kinds["some"] == "Int64" and kinds["late"] == "bool"
    assert kinds["moment"].startswith("datetime64")
    assert frame["some"].isna().tolist() == [True, True, False, False]
    pandas.testing.assert_series_equal(frame["minutes"], answer.to_arrow().to_pandas()["minutes"])


def test_pandas_needs_no_pyarrow(answer: tacit.Result, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert answer.to_pandas()["n"].tolist() == answer["n"].values


def test_people_read_it(answer: tacit.Result) -> None:
    assert "±" in str(answer) and "Charged to clinic/ana" in str(answer)
    assert repr(answer).startswith("<tacit.Result: 4 rows of hour, n,")
    assert answer._repr_html_().startswith("<pre>hour")
