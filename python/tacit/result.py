"""What a question came to, or would come to."""

from __future__ import annotations

import datetime
import decimal
import html
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from tacit.errors import InputError

if TYPE_CHECKING:
    import pandas
    import pyarrow

    from tacit import _native

Value = bool | int | float | str | decimal.Decimal | datetime.date | datetime.datetime | None


@dataclass(frozen=True)
class Column:
    """A column of an answer."""

    name: str
    type: str
    """As SQL calls it: integer, real, text, decimal(15,2), boolean, date or timestamp."""
    interval: str
    """Of its half-widths: exact, approximate, or none."""
    values: list[Value]
    half_widths: list[float | None] | None
    """The true value lies within value ± half-width, as far as noise goes; None where there are none."""


class Result:
    """An answer: a small table whose numbers have half-widths, and what is to be said of it.

    It speaks Arrow's PyCapsule interface, so that pyarrow.table(result), polars.DataFrame(result)
    and their like take it as it is; NAME_half_width stands behind each column that has one.
    """

    def __init__(self, reply: _native.Reply, question: str) -> None:
        self._reply = reply
        facts = json.loads(reply.facts)
        self.question = question
        """The SQL that was asked."""
        self.columns = [
            Column(name, kind, interval, [_value(each, kind) for each in values], half_widths)
            for name, kind, interval, values, half_widths in reply.columns
        ]
        self.confidence: float = reply.confidence
        """Of the half-widths: 0.95."""
        self.account: str = facts["account"]
        """Who paid: DATASET/ANALYST."""
        self.cost: dict[str, Any] = facts["charged"]
        """What was charged now, in the account's currency; zero for a release on record."""
        self.remaining: dict[str, Any] = facts["remaining"]
        """What the account had left after it."""
        self.on_record: bool = facts["on_record"]
        """It was released before: the same numbers again, free of charge."""
        self.entry: str | None = facts["entry"]
        """The ledger's entry that paid, now or then."""
        self.learned: list[dict[str, Any]] = facts["learned"]
        """Bounds that were learnt privately first."""
        self.certificate: dict[str, Any] | None = (
            None if reply.certificate is None else json.loads(reply.certificate)
        )
        """What was proved about it (docs/certificate.md); None where public tables alone were read."""

    def __len__(self) -> int:
        return len(self.columns[0].values) if self.columns else 0

    def __getitem__(self, name: str) -> Column:
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)

    def rows(self) -> Iterator[tuple[Value, ...]]:
        """The rows, without half-widths."""
        return zip(*(column.values for column in self.columns), strict=True)

    def scalar(self) -> Value:
        """The only value of an answer that has one row and one column."""
        if len(self.columns) != 1 or len(self) != 1:
            raise InputError(
                f"the answer has {len(self)} rows and {len(self.columns)} columns",
                "scalar",
                "take the value you mean: result['name'].values[0]",
            )
        return self.columns[0].values[0]

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._reply.arrow()

    def to_arrow(self) -> pyarrow.Table:
        """The answer with its half-widths as a pyarrow table; needs pyarrow."""
        import pyarrow

        return pyarrow.table(self)

    def to_pandas(self) -> pandas.DataFrame:
        """The answer with its half-widths as a data frame; needs pandas alone."""
        import pandas

        columns = {}
        for name, kind, given in self._reply.table:
            values = [_value(each, kind) for each in given]
            columns[name] = pandas.Series(values, dtype=_dtype(kind, values))
        return pandas.DataFrame(columns)

    def __str__(self) -> str:
        return f"{self._reply.text}\n{self._reply.words}".rstrip("\n")

    def __repr__(self) -> str:
        names = ", ".join(column.name for column in self.columns)
        return f"<tacit.Result: {len(self)} rows of {names}; paid by {self.account}>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


class Batch(Sequence[Result]):
    """The answers to statements that were asked together, in their order. One price was paid for all:
    it is the `cost` of each that was not on record."""

    def __init__(self, reply: _native.BatchReply) -> None:
        self._words = reply.words
        self._answers = [
            Result(each, statement) for each, statement in zip(reply.replies, reply.statements, strict=True)
        ]

    @overload
    def __getitem__(self, place: int) -> Result: ...
    @overload
    def __getitem__(self, place: slice) -> list[Result]: ...
    def __getitem__(self, place: int | slice) -> Result | list[Result]:
        return self._answers[place]

    def __len__(self) -> int:
        return len(self._answers)

    def __str__(self) -> str:
        answers = (f"[{number}] {each.question}\n{each}" for number, each in enumerate(self._answers, 1))
        return "\n\n".join([*answers, self._words])

    def __repr__(self) -> str:
        return f"<tacit.Batch: {len(self)} answers>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


class Plan:
    """What a question would do and cost. No row was read for it, nothing was charged."""

    def __init__(self, preview: _native.Preview, question: str) -> None:
        self._words = preview.words
        self.question = question
        """The SQL."""
        self.facts: dict[str, Any] = json.loads(preview.facts)
        """All of the plan, as `tacit plan --json` prints it."""
        self.fits: bool = self.facts["fits"]
        """Whether the budget allows it."""
        self.cost: dict[str, Any] = self.facts["charge"]
        """What would be charged, in the account's currency."""
        self.remaining: dict[str, Any] = self.facts["left"]
        """What would be left."""

    def __str__(self) -> str:
        return self._words.rstrip("\n")

    def __repr__(self) -> str:
        return f"<tacit.Plan: costs {self.cost}, {'fits' if self.fits else 'does not fit'}>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def _value(given: bool | int | float | str | None, kind: str) -> Value:
    """Python's own kind of value. A day that Python's calendar does not have stays a text."""
    if not isinstance(given, str) or kind == "text":
        return given
    if kind.startswith("decimal"):
        return decimal.Decimal(given)
    try:
        if kind == "date":
            return datetime.date.fromisoformat(given)
        return datetime.datetime.fromisoformat(given)
    except ValueError:
        return given


def _dtype(kind: str, values: list[Value]) -> str:
    """The usual pandas type; where values are missing, one that can say so."""
    whole = all(value is not None for value in values)
    if kind == "integer":
        return "int64" if whole else "Int64"
    if kind == "boolean":
        return "bool" if whole else "boolean"
    if kind == "real":
        return "float64"
    if kind == "text":
        return "str"
    if kind == "timestamp" and not any(isinstance(value, str) for value in values):
        return "datetime64[us]"
    return "object"
