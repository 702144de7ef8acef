"""What a model gave, cut off from its graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
from torch.autograd.graph import Node
from torch.utils import _pytree

from tacit.errors import InputError

HALF = (torch.float16, torch.bfloat16)


@dataclass(frozen=True)
class Cut:
    """A tensor of the model's, and what is in the caller's hands instead."""

    given: torch.Tensor
    boundary: torch.Tensor

    @classmethod
    def of(cls, given: torch.Tensor) -> Cut:
        # In single precision: a mean over many examples leaves little to each, and float16 rounds that away.
        detached = given.detach().float() if given.dtype in HALF else given.detach()
        return cls(given, detached.requires_grad_())


class Outputs:
    """Of one call: tensors with a row for each example, and losses that the model took of these."""

    def __init__(self, output: Any) -> None:
        leaves, structure = _pytree.tree_flatten(output)
        cuts = {id(leaf): Cut.of(leaf) for leaf in leaves if isinstance(leaf, torch.Tensor) and leaf.requires_grad}
        self._rows = [cut for cut in cuts.values() if cut.given.ndim > 0]
        self._losses = [cut for cut in cuts.values() if cut.given.ndim == 0]
        if not self._rows and self._losses:
            raise _loss_inside("one number for the whole batch")
        if not self._rows:
            raise InputError(
                f"the model gives a {type(output).__name__} that no parameter has a part in",
                "the model",
                "let it give tensors with a row for each example",
            )
        boundaries = [cuts[id(leaf)].boundary if id(leaf) in cuts else leaf for leaf in leaves]
        self.in_callers_hands = _pytree.tree_unflatten(boundaries, structure)

    def rows_and_gradients(self) -> list[tuple[torch.Tensor, torch.Tensor]]:
        """The rows that the caller's loss left a gradient in, by themselves or in a loss of theirs."""
        left = [(cut.given, cut.boundary.grad) for cut in self._rows]
        for loss in self._losses:
            if loss.boundary.grad is not None:
                rows = _rows_of(loss.given, [cut.given for cut in self._rows])
                scale = loss.boundary.grad.to(loss.given.dtype)
                left += zip(rows, torch.autograd.grad(loss.given, rows, scale, retain_graph=True), strict=True)
        return [(rows, gradient) for rows, gradient in left if gradient is not None]


Place: TypeAlias = tuple[Node | None, int]
"""In a graph of gradients: an output of a node."""


def _rows_of(loss: torch.Tensor, rows: list[torch.Tensor]) -> list[torch.Tensor]:
    """Those that the loss was taken of. Refuses one that parameters have a part in beside them, since
    whose that is cannot be told, and rows that are made of each other, which would count twice."""
    by_place = {(each.grad_fn, each.output_nr): each for each in rows}
    reached = _behind(loss, set(by_place))
    if any(hasattr(node, "variable") for node, _ in reached):
        raise _loss_inside("a loss that is not of the tensors alone that it gives beside it")
    found = reached & set(by_place)
    if any(_behind(by_place[place], set()) & found for place in found):
        raise _loss_inside("a loss of tensors that are made of each other")
    return [by_place[place] for place in found]


def _behind(tensor: torch.Tensor, stops: set[Place]) -> set[Place]:
    """All that it was made of, back to the stops."""
    reached: set[Place] = set()
    left: list[Node | None] = [tensor.grad_fn]
    while left:
        node = left.pop()
        for place in node.next_functions if node is not None else ():
            if place not in reached:
                reached.add(place)
                if place not in stops:
                    left.append(place[0])
    return reached


def _loss_inside(what: str) -> InputError:
    return InputError(
        f"the model gives {what}",
        "the model",
        "let it give tensors with a row for each example, and take the loss outside it: for a model that takes "
        "labels, loss = model(**inputs)[0] becomes loss = cross_entropy(model(**inputs).logits, labels), "
        "with the labels out of the inputs",
    )
