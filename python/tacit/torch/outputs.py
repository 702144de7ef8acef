"""What a model gave, cut off from its graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch.autograd.graph import Node
from torch.utils import _pytree

from tacit.errors import InputError

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
            raise _loss_inside("one number for the whole batch")
        if not self._rows:
            raise InputError(
                f"the model gives a {type(output).__name__} that no parameter has a part in",
                "the model",
                "let it give tensors with a row for each example",
            )
        boundaries = [cuts[id(leaf)].boundary if id(leaf) in cuts else leaf for leaf in leaves]
        self.in_callers_hands = _pytree.tree_unflatten(boundaries, structure)

    def rows_and_gradients(self, batch_first: bool) -> list[tuple[torch.Tensor, torch.Tensor]]:
        """The rows that the caller's loss left a gradient in, by themselves or in a loss of theirs."""
        if any(cut.boundary.grad is not None for cut in self._parameters):
            raise InputError(
                "the loss has a part in a parameter itself, of which no example has a row",
                "optimizer.step",
                "let the model compute with its parameters, and give tensors with a row for each example",
            )
        gradients = [(cut.given, cut.boundary.grad) for cut in self._rows if cut.boundary.grad is not None]
        # Classes are in the last dimension, behind that of examples.
        of_classes = [cut.given for cut in self._rows if cut.given.ndim > (1 if batch_first else 2)]
        rows = [cut.given for cut in self._rows]
        for loss in self._losses:
            if loss.boundary.grad is not None:
                is_cross_entropy = loss.given.grad_fn.name() == _CROSS_ENTROPY
                gradients.append(_in_rows(loss.given, loss.boundary.grad, of_classes if is_cross_entropy else rows))
        return gradients


_MEAN = 1
_CROSS_ENTROPY = "NllLossBackward0"
_LOSSES = (_CROSS_ENTROPY, "MseLossBackward0", "BinaryCrossEntropyWithLogitsBackward0")
_SAME_SHAPE = ("AliasBackward0", "CloneBackward0", "ToCopyBackward0")
_OTHER_SHAPE = ("SliceBackward0", "SqueezeBackward0", "SqueezeBackward1", "UnsafeViewBackward0", "ViewBackward0")
"""What leaves numbers as they are, in their order; all, or a part of them."""


def _in_rows(
    loss: torch.Tensor, scale: torch.Tensor, rows: list[torch.Tensor]
) -> tuple[torch.Tensor, torch.Tensor]:
    """The rows that a loss of the model's was taken of, and its gradient in them, times `scale`.

    The graph must show that it is a mean or sum of what each row gives by itself, as it does of cross
    entropy, squared errors and binary cross entropy. Cross entropy that leaves labels out, or weighs
    classes, divides by a sum over the batch: it is made a mean over all places.
    """
    node = loss.grad_fn
    if node.name() not in _LOSSES or (node.name() != _CROSS_ENTROPY and _saved(node, "weight") is not None):
        raise _loss_inside("a loss of which the graph does not show what each example gives")
    if node.name() == _CROSS_ENTROPY and _saved(node, "reduction") == _MEAN:
        scale = scale * _saved(node, "total_weight") / _saved(node, "target").numel()
    found = _rows_before(node, {(each.grad_fn, each.output_nr): each for each in rows})
    if found._backward_hooks:
        raise _loss_inside("a loss of a tensor that has hooks, which would be called twice")
    (gradient,) = torch.autograd.grad(loss, found, scale.to(loss.dtype), retain_graph=True)
    return found, gradient


def _rows_before(node: Node, rows: dict[tuple[Node, int], torch.Tensor]) -> torch.Tensor:
    """Those of `rows` that a loss is of, where all that happens to them on the way happens in each by itself:
    of a softmax, among numbers that lie side by side in the last dimension, from the rows on."""
    classes = None
    while len(before := [edge for edge in node.next_functions if edge[0] is not None]) == 1:
        if (found := rows.get(before[0])) is not None and classes in (None, found.shape[-1]):
            return found
        node = before[0][0]
        if node.name() == "LogSoftmaxBackward0" and _saved(node, "dim") == _saved(node, "result").ndim - 1:
            classes = _saved(node, "result").shape[-1]
        elif node.name() in _OTHER_SHAPE:
            if classes not in (None, *_saved(node, "self_sym_sizes")[-1:]):
                break
        elif node.name() not in _SAME_SHAPE:
            break
    raise _loss_inside("a loss that is not of the tensors which it gives beside it, each row by itself")


def _saved(node: Node, name: str) -> Any:
    return getattr(node, f"_saved_{name}", None)


def _loss_inside(what: str) -> InputError:
    return InputError(
        f"the model gives {what}",
        "the model",
        "let it give tensors with a row for each example, and take the loss outside it: for a model that takes "
        "labels, loss = model(**inputs)[0] becomes loss = cross_entropy(model(**inputs).logits, labels), "
        "with the labels out of the inputs",
    )
