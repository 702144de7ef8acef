"""What a model gave, cut off from its graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch.utils import _pytree

from tacit.errors import InputError
from tacit.torch.inner_loss import gradient_within, loss_inside

_HALF = (torch.float16, torch.bfloat16)


def in_single_precision(tensor: torch.Tensor) -> torch.Tensor:
    """Half precision widened: a mean over many examples leaves little to each, and float16 rounds that away."""
    return tensor.float() if tensor.dtype in _HALF else tensor


@dataclass(frozen=True)
class Cut:
    """A tensor of the model's, and what is in the caller's hands instead."""

    given: torch.Tensor
    boundary: torch.Tensor

    @classmethod
    def of(cls, given: torch.Tensor) -> Cut:
        return cls(given, in_single_precision(given.detach()).requires_grad_())


class Outputs:
    """Of one call: tensors with a row for each example, and losses that the model took of these."""

    def __init__(self, output: Any) -> None:
        leaves, structure = _pytree.tree_flatten(output)
        cuts = {id(leaf): Cut.of(leaf) for leaf in leaves if isinstance(leaf, torch.Tensor) and leaf.requires_grad}
        # A parameter that is given as it is has no graph, and no rows of examples.
        self._parameters = [cut for cut in cuts.values() if cut.given.grad_fn is None]
        made = [cut for cut in cuts.values() if cut.given.grad_fn is not None]
        self._rows = [cut for cut in made if cut.given.ndim > 0]
        self._losses = [cut for cut in made if cut.given.ndim == 0]
        if not self._rows and self._losses:
            raise loss_inside("one number for the whole batch")
        if not self._rows:
            raise InputError(
                f"the model gives a {type(output).__name__} that no parameter has a part in",
                "the model",
                "let it give tensors with a row for each example",
            )
        boundaries = [cuts[id(leaf)].boundary if id(leaf) in cuts else leaf for leaf in leaves]
        self.in_callers_hands = _pytree.tree_unflatten(boundaries, structure)

    def rows_and_gradients(self, *, is_mean: bool, batch_first: bool) -> list[tuple[torch.Tensor, torch.Tensor]]:
        """The rows that the caller's loss left a gradient in, by themselves or in a loss of theirs."""
        if any(cut.boundary.grad is not None for cut in self._parameters):
            raise InputError(
                "the loss has a part in a parameter itself, of which no example has a row",
                "optimizer.step",
                "let the model compute with its parameters, and give tensors with a row for each example",
            )
        gradients = [(cut.given, cut.boundary.grad) for cut in self._rows if cut.boundary.grad is not None]
        by_edge = {(cut.given.grad_fn, cut.given.output_nr): cut.given for cut in self._rows}
        for loss in self._losses:
            if loss.boundary.grad is not None:
                if not batch_first:
                    raise loss_inside("a loss, and rows whose first dimension is not that of examples")
                rows, gradient = gradient_within(loss.given.grad_fn, by_edge, is_mean)
                gradients.append((rows, gradient * loss.boundary.grad))
        return gradients
