"""What can be tried of a loop of the caller's own, before anything is charged.

A loop is foreseen to call model(x) for pairs (x, y) of the loader. Where that does not go through, or
does not give a row for each example, it calls the model otherwise, and nothing is tried.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.utils.data import DataLoader

from tacit.errors import InputError
from tacit.torch import _native
from tacit.torch.mixing import Loss, as_it_was
from tacit.torch.rehearsal import FEW, Rehearsal, RowsOf, is_out_of_memory, made_up, repeated
from tacit.torch.steps import Losses


@dataclass(frozen=True)
class LoopRehearsal:
    """Of a model and its loader, on rows that are made up, or else those of the first example."""

    model: nn.Module
    loader: DataLoader[Any]
    plan: _native.Plan
    losses: Losses
    criterion: Loss | None

    def try_few(self) -> None:
        """Refuses a model or a criterion that mixes examples, and labels out of range."""
        with as_it_was(self.model), torch.enable_grad():
            rehearsal = self._rehearsal()
            if found := self._rows_that_go_through(rehearsal):
                rows_of, few = found
                x, y = rehearsal.rows(rows_of, few)
                rehearsal.step(x, y)
                rehearsal.check(x, y, rows_of)

    def try_memory(self, most_rows: int | None) -> None:
        """Refuses parts of so many rows, or whole batches, that do not fit into memory."""
        likely = self._largest_likely
        size = likely if most_rows is None else min(most_rows, likely)
        with as_it_was(self.model), torch.enable_grad():
            rehearsal = self._rehearsal()
            try:
                if found := self._rows_that_go_through(rehearsal):
                    rehearsal.step(*rehearsal.rows(found[0], size))
            except Exception as failure:
                if not is_out_of_memory(failure):
                    raise
                raise InputError(
                    f"{size} examples at once do not fit into memory",
                    "data_loader",
                    "take batches in smaller parts, which changes memory and not the result: "
                    "BatchMemoryManager(data_loader=..., max_physical_batch_size=..., optimizer=...)",
                ) from failure

    def _rehearsal(self) -> Rehearsal:
        return Rehearsal(self.model, self.criterion, self.loader, self.plan, self.losses)

    def _rows_that_go_through(self, rehearsal: Rehearsal) -> tuple[RowsOf, int] | None:
        """And how many they are: as no side of an example, so that a model that takes rows for something
        else shows."""
        if not (self.model.training and self.losses.batch_first):
            return None
        for rows_of in (made_up, repeated):
            try:
                sides = rehearsal.rows(rows_of, 1)[0].shape
                few = next(rows for rows in itertools.count(FEW) if rows not in sides)
                if rehearsal.goes_through(*rehearsal.rows(rows_of, few)):
                    return rows_of, few
            except Exception:  # whatever a model raises that is called otherwise
                continue
        return None

    @property
    def _largest_likely(self) -> int:
        """Four standard deviations above what is expected: of thirty thousand batches one is larger."""
        if self.plan.largest_batch is not None:
            return self.plan.largest_batch
        expected = self.plan.expected_batch_size
        return min(self.plan.examples, math.ceil(expected + 4 * math.sqrt(expected)))
