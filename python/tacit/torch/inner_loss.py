"""The loss that a model took itself, of rows that it gives beside it.

Its gradient is carried back to the rows by hand, over the few operations that heads of models are made
of, each of which is seen to keep examples apart. It is that of a mean over examples, each a mean over
its own places, without those whose labels are left out, whatever the model divided by: in a mean over
all places of a batch one example that has many weighs on the others.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch.autograd.graph import Node

from tacit.errors import InputError

Edge = tuple[Node, int]
"""In the graph, where a tensor comes from."""

_SUM = 2
_SAME_SHAPE = ("AliasBackward0", "CloneBackward0", "ToCopyBackward0")
_OTHER_SHAPE = ("SqueezeBackward0", "SqueezeBackward1", "UnsafeViewBackward0", "ViewBackward0")
"""What leaves numbers as they are, in their order."""


class _Terms(NamedTuple):
    """Of a loss before it was added up."""

    gradient: torch.Tensor
    weights: torch.Tensor
    """Of its places."""


def gradient_within(loss: Node, rows: dict[Edge, torch.Tensor], is_mean: bool) -> tuple[torch.Tensor, torch.Tensor]:
    """The rows that a loss was taken of, examples in their first dimension, and its gradient in them."""
    with torch.no_grad():
        return _gradient_within(loss, rows, is_mean)


def _gradient_within(
    loss: Node, rows: dict[Edge, torch.Tensor], is_mean: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    terms = _terms_of(loss)
    if (_saved(loss, "reduction") == _SUM) == is_mean:
        raise loss_inside("a sum of losses, or a mean of them where loss_reduction is sum")
    back = _WayBack(terms.gradient)
    edge = _before(loss)
    while edge not in rows:
        back.go_through(edge[0])
        edge = _before(edge[0])
    found, gradient = rows[edge], back.gradient_in(rows[edge])
    if not is_mean:
        return found, gradient
    weights = terms.weights.reshape(len(found), -1).sum(1).reshape(-1, *(1 for _ in found.shape[1:]))
    return found, torch.where(weights > 0, gradient / (weights * len(found)), 0)


class _WayBack:
    """From a loss to the rows that it is of."""

    def __init__(self, gradient: torch.Tensor) -> None:
        self._gradient = gradient
        self._classes: int | None = None
        """Of a softmax: the last dimension, which stays what it is from the rows on."""
        self._lengths: set[int] = set()
        """Of first dimensions of what was cut: that of examples must not be."""

    def go_through(self, node: Node) -> None:
        if node.name() == "LogSoftmaxBackward0" and _dimension(node) == _saved(node, "result").ndim - 1:
            logarithms = _saved(node, "result")
            self._classes = logarithms.shape[-1]
            self._gradient = self._gradient - logarithms.exp() * self._gradient.sum(-1, keepdim=True)
        elif node.name() == "SliceBackward0" and _dimension(node) > 0:
            sizes = self._sizes_before(node)
            self._lengths.add(sizes[0])
            part = slice(*(_signed(_saved(node, name)) for name in ("start", "end", "step")))
            whole = self._gradient.new_zeros(sizes)
            whole[(slice(None),) * _dimension(node) + (part,)] = self._gradient
            self._gradient = whole
        elif node.name() in _OTHER_SHAPE:
            self._gradient = self._gradient.reshape(self._sizes_before(node))
        elif node.name() not in _SAME_SHAPE:
            raise _mixed()

    def gradient_in(self, rows: torch.Tensor) -> torch.Tensor:
        """Refuses rows that may have been mixed on the way."""
        is_apart = self._classes is None or (rows.ndim > 1 and rows.shape[-1] == self._classes)
        if not is_apart or not self._lengths <= {len(rows)} or self._gradient.shape != rows.shape:
            raise _mixed()
        return self._gradient

    def _sizes_before(self, node: Node) -> tuple[int, ...]:
        sizes: tuple[int, ...] = _saved(node, "self_sym_sizes")
        if self._classes is not None and sizes[-1:] != (self._classes,):
            raise _mixed()
        return sizes


def _terms_of(loss: Node) -> _Terms:
    """Of cross entropy, squared error and binary cross entropy."""
    given, target = _saved(loss, "self"), _saved(loss, "target")
    if loss.name() == "NllLossBackward0" and given.ndim == 2:
        weights = torch.ones_like(given[:, 0])
        if (of_classes := _saved(loss, "weight")) is not None:
            weights = of_classes[target.clamp(0, len(of_classes) - 1)]
        weights = weights.where(target != _signed(_saved(loss, "ignore_index")), 0)
        places = target.clamp(0, given.shape[1] - 1).unsqueeze(1)
        return _Terms(torch.zeros_like(given).scatter(1, places, -weights.unsqueeze(1)), weights)
    if loss.name() == "MseLossBackward0":
        return _Terms(2 * (given - target), torch.ones_like(given))
    has_weights = _saved(loss, "weight") is not None or _saved(loss, "pos_weight") is not None
    if loss.name() == "BinaryCrossEntropyWithLogitsBackward0" and not has_weights:
        return _Terms(given.sigmoid() - target, torch.ones_like(given))
    raise loss_inside("a loss of which it is not known what each example gives")


def _before(node: Node) -> Edge:
    edges: list[Edge] = [edge for edge in node.next_functions if edge[0] is not None]
    if len(edges) != 1:
        raise _mixed()
    return edges[0]


def _saved(node: Node, name: str) -> Any:
    return getattr(node, f"_saved_{name}", None)


def _dimension(node: Node) -> int:
    shape = _saved(node, "self_sym_sizes") or _saved(node, "result").shape
    return int(_signed(_saved(node, "dim")) % len(shape))


def _signed(number: Any) -> Any:
    """Autograd shows what it saved as numbers without a sign, and none as none."""
    return number if number is None or number < 2**63 else number - 2**64


def _mixed() -> InputError:
    return loss_inside("a loss that is not of the tensors which it gives beside it, each row by itself")


def loss_inside(what: str) -> InputError:
    """Why a loss of the model's cannot be taken, and what to write instead."""
    return InputError(
        f"the model gives {what}",
        "the model",
        "let it give tensors with a row for each example, and take the loss outside it: for a model that takes "
        "labels, loss = model(**inputs)[0] becomes loss = cross_entropy(model(**inputs).logits, labels), "
        "with the labels out of the inputs",
    )
