"""Workspaces, and the questions that are put to them."""

from __future__ import annotations

import decimal
import fractions
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, TypedDict, Unpack

from tacit import _command, _native
from tacit.result import Batch, Plan, Result

Number: TypeAlias = int | float | str | decimal.Decimal | fractions.Fraction
"""Read exactly, as it is written: 0.1 is one tenth."""


class QuestionOptions(TypedDict, total=False):
    """What a question may be asked with; `Workspace.query` says what each does."""

    epsilon: Number | None
    within: Number | None
    delta: Number | None
    analyst: str | None
    dataset: str | None
    max_rows: int | None
    max_groups: int | None
    shares: Mapping[str, Number] | None
    learn: Iterable[str]


@dataclass(frozen=True)
class Account:
    """What a dataset, or an analyst of it, may spend. Amounts are in the account's currency."""

    name: str
    """DATASET or DATASET/ANALYST."""
    epsilon: float
    delta: float
    """The cap: the guarantee for everything that is charged to it."""
    neighbours: str
    """add_remove or replace: what one unit may do between two datasets that must look alike."""
    currency: str
    """epsilon; or renyi: Rényi divergence at `orders`, and a reserve of delta."""
    orders: list[float]
    cap: dict[str, Any]
    spent: dict[str, Any]
    remaining: dict[str, Any]


class Workspace:
    """An open workspace. Threads may share it: their questions wait for each other."""

    def __init__(
        self, native: _native.Workspace, dataset: str | None, analyst: str | None, key: str = ""
    ) -> None:
        self._native = native
        self._key = key
        self._dataset = dataset
        self._analyst = analyst

    @property
    def folder(self) -> Path:
        """Where tacit.toml lies."""
        return Path(self._native.folder)

    def query(self, sql: str, *, fresh: bool = False, **options: Unpack[QuestionOptions]) -> Result:
        """Answer a SELECT about private rows, for at most `epsilon`.

        The price is charged to the analyst's account before a row is read, and stays charged
        whatever happens after. The same question again is answered from the release on record,
        free of charge, unless `fresh`.

        within: instead of epsilon, the half-width that each count and sum may have.
        delta: 0 for none; by default a hundredth of the account's.
        max_rows, max_groups: the most rows of a unit in a group, and groups of a unit, that count.
        shares: how epsilon is divided over the aggregates, by the names of their columns.
        learn: some of "rows", "groups", "ranges", learnt privately for a share of epsilon each.

        Raises BudgetExceeded, QueryRefused or InputError, which charge nothing, or WorldFailed.
        Ctrl-C cancels what the engine is doing; what was charged stays so.
        """
        return Result(self._native.query(sql, self._texts(options, "query"), fresh), sql)

    def query_batch(
        self, statements: str | Iterable[str], *, fresh: bool = False, **options: Unpack[QuestionOptions]
    ) -> Batch:
        """Answer several SELECTs together, for at most `epsilon` in all: a list of them, or one text in
        which each is ended by ';'.

        Epsilon is divided so that their errors together are least (or by `shares`: {"1": 3, "2": 1}
        by their numbers), and what several ask is released once. All are paid for, or none is
        answered. Options are those of `query`.
        """
        text = statements if isinstance(statements, str) else "".join(f"{_ended(each)}\n" for each in statements)
        return Batch(self._native.query_batch(text, self._texts(options, "query_batch"), fresh))

    def plan(self, sql: str, **options: Unpack[QuestionOptions]) -> Plan:
        """What `query` would do with the same arguments, and cost. Reads no row, charges nothing."""
        return Plan(self._native.plan(sql, self._texts(options, "plan")), sql)

    def anonymize(
        self,
        file: str | os.PathLike[str] | None = None,
        *,
        policy: str | os.PathLike[str],
        output: str | os.PathLike[str],
        table: str | None = None,
        accept_no_dp: bool = False,
        against: Iterable[str | os.PathLike[str]] = (),
        repair: bool = False,
        effort: int | None = None,
        pseudonym_key: str | os.PathLike[str] | None = None,
        report: str | os.PathLike[str] | None = None,
        analyst: str | None = None,
        dataset: str | None = None,
    ) -> dict[str, Any]:
        """Publish a table in which people are hidden among others, as `tacit anonymize` does: what it
        would say in JSON.

        A file (or a pattern of several), or a `table` of the dataset, is made coarser as the `policy`
        (a TOML file) asks, and written to `output`: CSV, Parquet or JSON. That is no differential
        privacy, so `accept_no_dp` must be given, and the ledger enters it with 'none proved'; unless the
        policy asks for differential privacy, which is charged.

        against: earlier releases of the same people, with which this one must not tell more; `repair`
        leaves rows out where it would. effort: how many recodings to look at where there are too many.
        report: a page for the steward alone; what is given back is too.
        """
        given: list[tuple[str, str | os.PathLike[str] | None]] = [
            ("--policy", policy),
            ("--output", output),
            ("--table", table),
            ("--effort", None if effort is None else str(effort)),
            ("--pseudonym-key", pseudonym_key),
            ("--report", report),
            ("--dataset", dataset if dataset is not None else self._dataset),
            ("--as", analyst if analyst is not None else self._analyst),
            ("--key", self._key or None),
            ("--workspace", self.folder),
            *(("--against", earlier) for earlier in against),
        ]
        arguments = [] if file is None else [os.fspath(file)]
        arguments += [text for name, value in given if value is not None for text in (name, os.fspath(value))]
        arguments += [name for name, is_set in (("--accept-no-dp", accept_no_dp), ("--repair", repair)) if is_set]
        told: dict[str, Any] = _command.tacit("anonymize", *arguments)
        return told

    def budget(self, *, analyst: str | None = None, dataset: str | None = None) -> Account:
        """The account that pays for questions, as it stands now."""
        return _account(json.loads(self._native.account(self._texts({"analyst": analyst, "dataset": dataset}, "budget"))))

    def accounts(self) -> list[Account]:
        """All accounts of the workspace's ledger."""
        return [_account(each) for each in json.loads(self._native.accounts())]

    def __repr__(self) -> str:
        return f"<tacit.Workspace {self._native.folder}>"

    def _texts(self, options: QuestionOptions, function: str) -> dict[str, str]:
        """The arguments that were given, as the texts that the command would be given."""
        for name in options:
            if name not in QuestionOptions.__annotations__:
                raise TypeError(f"{function}() got an unexpected keyword argument '{name}'")
        given: dict[str, Any] = {**options}
        for name, usual in (("analyst", self._analyst), ("dataset", self._dataset)):
            if given.get(name) is None:
                given[name] = usual
        return {name: text for name, value in given.items() if (text := option_text(value))}


def open(
    workspace: str | os.PathLike[str] | None = None,
    *,
    dataset: str | None = None,
    analyst: str | None = None,
    key: str | os.PathLike[str] | None = None,
) -> Workspace:
    """Open a workspace: its folder or tacit.toml, or by default that of the current folder.

    dataset and analyst stand in for those that a question does not name. An analyst's name is a
    claim, not a login. key is a file with the Ed25519 key that signs entries of the ledger
    (default: the environment's TACIT_KEY).
    """
    place = "" if workspace is None else os.fspath(workspace)
    key_file = os.environ.get("TACIT_KEY", "") if key is None else os.fspath(key)
    return Workspace(_native.open(place, key_file), dataset, analyst, key_file)


def _ended(statement: str) -> str:
    """With the ';' that ends it among others."""
    return statement if statement.rstrip().endswith(";") else f"{statement}\n;"


def option_text(value: Any) -> str:
    """As the command would be given it: lists by commas, shares as NAME=NUMBER."""
    if value is None:
        return ""
    if isinstance(value, Mapping):
        return ",".join(f"{name}={option_text(share)}" for name, share in value.items())
    # A float by the shortest text that reads back as the same.
    if isinstance(value, float):
        return float.__repr__(value)
    is_list = isinstance(value, Iterable) and not isinstance(value, str)
    return ",".join(value) if is_list else str(value)


def _account(facts: dict[str, Any]) -> Account:
    return Account(
        name=facts["account"],
        epsilon=facts["epsilon"],
        delta=facts["delta"],
        neighbours=facts["neighbours"],
        currency=facts["currency"],
        orders=facts["orders"],
        cap=facts["cap"],
        spent=facts["spent"],
        remaining=facts["remaining"],
    )
