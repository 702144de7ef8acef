"""Workspaces, and the questions that are put to them."""

from __future__ import annotations

import decimal
import fractions
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from tacit import _native
from tacit.result import Batch, Plan, Result

Number: TypeAlias = int | float | str | decimal.Decimal | fractions.Fraction
"""Read exactly, as it is written: 0.1 is one tenth."""


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
        self, native: _native.Workspace, dataset: str | None, analyst: str | None
    ) -> None:
        self._native = native
        self._dataset = dataset
        self._analyst = analyst

    @property
    def folder(self) -> Path:
        """Where tacit.toml lies."""
        return Path(self._native.folder)

    def query(
        self,
        sql: str,
        *,
        epsilon: Number | None = None,
        within: Number | None = None,
        delta: Number | None = None,
        analyst: str | None = None,
        dataset: str | None = None,
        max_rows: int | None = None,
        max_groups: int | None = None,
        shares: Mapping[str, Number] | None = None,
        learn: Iterable[str] = (),
        fresh: bool = False,
    ) -> Result:
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
        options = self._options(
            analyst, dataset, epsilon, within, delta, max_rows, max_groups, shares, learn
        )
        return Result(self._native.query(sql, options, fresh), sql)

    def query_batch(
        self,
        statements: str | Iterable[str],
        *,
        epsilon: Number | None = None,
        within: Number | None = None,
        delta: Number | None = None,
        analyst: str | None = None,
        dataset: str | None = None,
        max_rows: int | None = None,
        max_groups: int | None = None,
        shares: Mapping[str, Number] | None = None,
        learn: Iterable[str] = (),
        fresh: bool = False,
    ) -> Batch:
        """Answer several SELECTs together, for at most `epsilon` in all: a list of them, or one text in
        which each is ended by ';'.

        Epsilon is divided so that their errors together are least (or by `shares`: {"1": 3, "2": 1}
        by their numbers), and what several ask is released once. All are paid for, or none is
        answered. Options are those of `query`.
        """
        text = statements if isinstance(statements, str) else "".join(f"{_ended(each)}\n" for each in statements)
        options = self._options(
            analyst, dataset, epsilon, within, delta, max_rows, max_groups, shares, learn
        )
        return Batch(self._native.query_batch(text, options, fresh))

    def plan(
        self,
        sql: str,
        *,
        epsilon: Number | None = None,
        within: Number | None = None,
        delta: Number | None = None,
        analyst: str | None = None,
        dataset: str | None = None,
        max_rows: int | None = None,
        max_groups: int | None = None,
        shares: Mapping[str, Number] | None = None,
        learn: Iterable[str] = (),
    ) -> Plan:
        """What `query` would do with the same arguments, and cost. Reads no row, charges nothing."""
        options = self._options(
            analyst, dataset, epsilon, within, delta, max_rows, max_groups, shares, learn
        )
        return Plan(self._native.plan(sql, options), sql)

    def budget(self, *, analyst: str | None = None, dataset: str | None = None) -> Account:
        """The account that pays for questions, as it stands now."""
        return _account(json.loads(self._native.account(self._options(analyst, dataset))))

    def accounts(self) -> list[Account]:
        """All accounts of the workspace's ledger."""
        return [_account(each) for each in json.loads(self._native.accounts())]

    def __repr__(self) -> str:
        return f"<tacit.Workspace {self._native.folder}>"

    def _options(
        self,
        analyst: str | None,
        dataset: str | None,
        epsilon: Number | None = None,
        within: Number | None = None,
        delta: Number | None = None,
        max_rows: int | None = None,
        max_groups: int | None = None,
        shares: Mapping[str, Number] | None = None,
        learn: Iterable[str] = (),
    ) -> dict[str, str]:
        """The arguments that were given, as the texts that the command would be given."""
        given = {
            "analyst": analyst if analyst is not None else self._analyst,
            "dataset": dataset if dataset is not None else self._dataset,
            "epsilon": _text(epsilon),
            "within": _text(within),
            "delta": _text(delta),
            "max_rows": _text(max_rows),
            "max_groups": _text(max_groups),
            "shares": ",".join(f"{name}={_text(share)}" for name, share in (shares or {}).items()),
            "learn": learn if isinstance(learn, str) else ",".join(learn),
        }
        return {name: text for name, text in given.items() if text}


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
    return Workspace(_native.open(place, key_file), dataset, analyst)


def _ended(statement: str) -> str:
    """With the ';' that ends it among others."""
    return statement if statement.rstrip().endswith(";") else f"{statement}\n;"


def _text(number: Number | None) -> str:
    """As it is written; a float by the shortest text that reads back as the same."""
    if number is None:
        return ""
    return float.__repr__(number) if isinstance(number, float) else str(number)


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
