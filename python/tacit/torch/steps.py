"""The steps that model, optimizer and loader share.

A model's output is cut off from its graph and handed to the caller, whose loss leaves in it the
gradient of each example's loss. When the optimizer steps, the product of output and gradient is, for
each example, a loss with the same gradient in the parameters; of these the engine takes clipped
sums. So any loss will do that is a mean (or sum) over examples; also one that the model takes itself
and gives beside the rows that it is of.
"""

from __future__ import annotations

import functools
import operator
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from tacit.errors import InputError
from tacit.torch import _native
from tacit.torch.outputs import Outputs, in_single_precision
from tacit.torch.runs import Runs


@dataclass(frozen=True)
class Part:
    """Examples of the batch under way that are in the caller's hands."""

    size: int
    """Rows of nobody among them."""
    last: bool


@dataclass(frozen=True)
class Losses:
    """How the caller's loss is made of those of the examples."""

    is_mean: bool = True
    batch_first: bool = True

    def of_examples(self, output: torch.Tensor, gradient: torch.Tensor, size: int) -> torch.Tensor:
        """For each example a loss with `gradient` in its rows of `output`."""
        output, gradient = in_single_precision(output), in_single_precision(gradient)
        scaled = output * (gradient * size if self.is_mean else gradient)
        if not self.batch_first and scaled.ndim > 1:
            scaled = scaled.transpose(0, 1)
        if scaled.shape[0] != size:
            raise InputError(
                f"the model gave {scaled.shape[0]} rows for a batch of another size",
                "optimizer.step",
                "its output must have one row for each example, in their order",
            )
        return scaled.reshape(size, -1).sum(1)


class Steps:
    """The steps of one training, in the order in which they are safe: draw, add, finish."""

    def __init__(self, runs: Runs, losses: Losses, try_memory: Callable[[int | None], None]) -> None:
        """`try_memory` refuses parts of so many rows (whole batches where that is None), before the
        first is paid for."""
        self.runs = runs
        self._losses = losses
        self._try_memory = try_memory
        self._run: _native.Run | None = None
        self._warned = False
        self._outputs: list[Outputs] = []
        self.is_open = False
        self.part: Part | None = None

    @property
    def taken(self) -> int:
        return self.runs.taken.steps

    @property
    def are_used_up(self) -> bool:
        """Of the run under way: the next step would need another."""
        return not self.runs.done or self.runs.done[-1].steps_left == 0

    def draw(self, most_rows: int | None) -> list[int]:
        """Begin a step: the places of its examples, which are handed out in parts of so many rows, or
        at once. Private, and so is their number."""
        if not self.runs.done:
            self._try_memory(most_rows)
        self._run = self.runs.with_a_step_left()
        places = self._run.draw()
        self.is_open = True
        self.runs.taken.steps += 1
        return places

    def passes(self, places: list[int], most_rows: int | None) -> list[list[int]] | None:
        """In mixed precision: what the batch is handed out in, NOBODY in rows of none. Private as well."""
        assert self._run is not None
        plan = self._run.plan
        if not plan.mixed_precision:
            return None
        return self._run.passes(places, most_rows or plan.largest_batch or len(places))

    def cut(self, output: Any) -> Any:
        """What the model gave, its tensors cut off from the graph."""
        self._outputs.append(Outputs(output))
        return self._outputs[-1].in_callers_hands

    def add(self) -> bool:
        """Add the part that was handed out; whether it was the last of its batch."""
        part, outputs = self.part, self._outputs
        self.part, self._outputs = None, []
        if part is None:
            raise InputError("there is no batch to step with", "optimizer.step", "take one from the loader first")
        if not outputs:
            raise InputError(
                "the model was not called in training mode since the batch was drawn",
                "optimizer.step",
                "call it on all of the batch (model.train() turns training mode on)",
            )
        how = self._losses
        losses = [
            how.of_examples(rows, gradient, part.size)
            for given in outputs
            for rows, gradient in given.rows_and_gradients(is_mean=how.is_mean, batch_first=how.batch_first)
        ]
        if not losses:
            raise InputError("the loss left no gradient", "optimizer.step", "call loss.backward() before")
        assert self._run is not None
        self._run.add(functools.reduce(operator.add, losses))
        self._warn_of_slow_parameters()
        return part.last

    def finish(self) -> None:
        """Leave the noisy sum, divided by the expected batch size, in the parameters' gradients."""
        assert self._run is not None
        self.is_open = False
        self._run.finish_step()

    def abandon(self) -> None:
        """Forget a batch that a caller left behind. It stays paid for."""
        self.part, self._outputs = None, []
        if self.is_open:
            self.finish()

    def _warn_of_slow_parameters(self) -> None:
        assert self._run is not None
        if self._run.slow and not self._warned:
            self._warned = True
            warnings.warn(
                "gradients are taken one example at a time, which is slow, for " + ", ".join(self._run.slow),
                stacklevel=4,
            )
