"""What can be tried of a loop of the caller's own, before anything is charged.

A loop is foreseen to call model(x) for pairs (x, y) of the loader. Where that does not go through, or
does not give a row for each example, it calls the model otherwise, and nothing is tried.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.utils.data import DataLoader

from tacit.errors import InputError, TacitError
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
        if not self._is_foreseen:
            return
        with as_it_was(self.model), torch.enable_grad():
            rehearsal = self._rehearsal()
            if (found := _rows_that_go_through(rehearsal)) is None:
                return
            x, y, rows_of = found
            checks: list[Callable[[], None]] = [
                lambda: rehearsal.step(x, y),
                lambda: rehearsal.check_model(x, rows_of),
                lambda: rehearsal.check_labels(x, y),
            ]
            for check in checks:
                try:
                    check()
                except TacitError:
                    raise
                except Exception:  # the loop may give the model other numbers, or fewer rows
                    continue

    def try_memory(self, most_rows: int | None) -> None:
        """Refuses parts of so many rows, or whole batches, that do not fit into memory."""
        if not self._is_foreseen:
            return
        likely = self._largest_likely
        size = likely if most_rows is None else min(most_rows, likely)
        for rows_of in (made_up, repeated):
            try:
                with as_it_was(self.model), torch.enable_grad():
                    rehearsal = self._rehearsal()
                    return rehearsal.step(*rehearsal.rows(rows_of, size))
            except Exception as failure:  # whatever a model raises that is called otherwise
                if is_out_of_memory(failure):
                    raise InputError(
                        f"{size} examples at once do not fit into memory",
                        "data_loader",
                        "take batches in smaller parts, which changes memory and not the result: "
                        "BatchMemoryManager(data_loader=..., max_physical_batch_size=..., optimizer=...)",
                    ) from failure

    @property
    def _is_foreseen(self) -> bool:
        return self.model.training and self.losses.batch_first

    def _rehearsal(self) -> Rehearsal:
        return Rehearsal(self.model, self.criterion, self.loader, self.plan, self.losses)

    @property
    def _largest_likely(self) -> int:
        """Four standard deviations above what is expected: of thirty thousand batches one is larger."""
        if self.plan.largest_batch is not None:
            return self.plan.largest_batch
        expected = self.plan.expected_batch_size
        return min(self.plan.examples, math.ceil(expected + 4 * math.sqrt(expected)))


def _rows_that_go_through(rehearsal: Rehearsal) -> tuple[torch.Tensor, torch.Tensor, RowsOf] | None:
    """A few, as many as no side of an example has: a model that takes rows for something else then shows."""
    for rows_of in (made_up, repeated):
        try:
            sides = rehearsal.rows(rows_of, 1)[0].shape[1:]
            x, y = rehearsal.rows(rows_of, next(few for few in itertools.count(FEW) if few not in sides))
            if rehearsal.goes_through(x, y):
                return x, y, rows_of
        except Exception:  # whatever a model raises that is called otherwise
            continue
    return None
