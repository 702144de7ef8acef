"""Whether examples move each other, tried on a few rows of which one is changed.

What one example adds to a step is bounded only where nothing of it reaches the others. The graph of
the gradients shows where parameters mix them; it shows neither what happens before the first
parameter that is trained, nor what a model keeps for later, nor what a loss does.
"""

from __future__ import annotations

import random
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn

from tacit.errors import InputError

Forward = Callable[[torch.Tensor], torch.Tensor]
Loss = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]

_SEED = 1
_TOLERANCE = 1e-4
_TOLERANCE_IN_HALF = 1e-2
"""Of what is computed for a row, beside the largest of it: the same shapes are added up in the same
order, but not by every kernel."""


@contextmanager
def as_it_was(model: nn.Module) -> Iterator[None]:
    """Puts back what the model keeps beside its parameters, and the states of generators."""
    modules = [module for module in model.modules() if not isinstance(module, torch.jit.ScriptModule)]
    kept = [(module, dict(vars(module)), dict(module._buffers)) for module in modules]
    values = [(buffer, buffer.clone()) for buffer in model.buffers()]
    try:
        with torch.random.fork_rng(devices=list(range(torch.cuda.device_count()))), _generators_as_they_were():
            yield
    finally:
        for buffer, value in values:
            if buffer.shape != value.shape or buffer.layout != torch.strided:
                buffer.data = value
            elif not torch.equal(buffer, value):
                buffer.data.copy_(value)
        for module, attributes, buffers in kept:
            vars(module).clear()
            vars(module).update(attributes)
            module._buffers.clear()
            module._buffers.update(buffers)


@contextmanager
def _generators_as_they_were() -> Iterator[None]:
    """Those of Python and, where it is in use, of NumPy: examples may be drawn from them."""
    numpy: Any = sys.modules.get("numpy")
    state = random.getstate()
    of_numpy = None if numpy is None else numpy.random.get_state()
    try:
        yield
    finally:
        random.setstate(state)
        if numpy is not None:
            numpy.random.set_state(of_numpy)


def check_model(model: nn.Module, forward: Forward, rows: torch.Tensor, changes: list[torch.Tensor]) -> None:
    """Refuses a model in which the last row, changed, moves what others get or what stays. `forward`
    calls the model."""
    (outputs, kept), (again, kept_again) = (_left_by(model, forward, rows) for _ in range(2))
    next_time, _ = _left_by(model, forward, rows, rows)
    if not (_alike(outputs, again) and _same_buffers(kept, kept_again)):
        _warn_of_chance("model")
        return
    for row in changes:
        changed = _with_last(rows, row)
        moved, kept_moved = _left_by(model, forward, changed)
        if not _alike(outputs[:-1], moved[:-1]):
            raise InputError(
                "an example changes what the model gives for others",
                "model",
                "let nothing mix the rows of a batch: normalize each by itself, or by constants (engine.normalization)",
            )
        if not (_same_buffers(kept, kept_moved) and _alike(next_time, _left_by(model, forward, changed, rows)[0])):
            raise InputError(
                "the model keeps something of the examples that it sees, without noise, for the next",
                "model",
                "leave running statistics out: normalize each by itself, or by constants (engine.normalization)",
            )


def check_loss(loss: Loss, outputs: torch.Tensor, y: torch.Tensor, classes: list[int], in_half: bool) -> None:
    """Refuses a loss in which the last row, changed or left out, moves the gradients of others: by what
    the model gave for it, or by being of each of some `classes` (none where y has no classes)."""
    if len(outputs) < 3:
        return  # one row, which is left, would be a shape that some losses do not take
    if classes:
        in_turn = torch.tensor(classes, device=y.device)[torch.arange(y.numel(), device=y.device) % len(classes)]
        y = in_turn.to(y.dtype).reshape(y.shape)
    others = len(outputs) - 1
    of_others = _gradients(loss, outputs, y)[:others]
    tolerance = _TOLERANCE_IN_HALF if in_half else _TOLERANCE
    if not _alike(of_others, _gradients(loss, outputs, y)[:others], tolerance):
        _warn_of_chance("loss")
        return
    changed = [
        (outputs[:-1], y[:-1]),
        (_with_last(outputs, outputs[0]), _with_last(y, y[0])),
        *((outputs, _with_last(y, each)) for each in classes),
    ]
    if not all(_alike(of_others, _gradients(loss, *each)[:others], tolerance) for each in changed):
        raise InputError(
            "an example changes the losses of others: the loss is no mean of what each gives by itself",
            "loss",
            "weights of classes and ignore_index divide by a sum over the batch: with reduction='none' multiply by "
            "weights, then take the mean()",
        )


def _left_by(
    model: nn.Module, forward: Forward, *calls: torch.Tensor
) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    """What the last of the calls gives, and what they leave in the model, which is then as it was."""
    with as_it_was(model), torch.no_grad():
        for rows in calls:
            torch.manual_seed(_SEED)
            output = forward(rows.clone())
        return output, {name: buffer.clone() for name, buffer in model.named_buffers()}


def _gradients(loss: Loss, outputs: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Of the loss of each row by itself, if the loss is their mean."""
    boundary = outputs.detach().requires_grad_()
    (gradient,) = torch.autograd.grad(loss(boundary, y), boundary)
    return gradient * len(outputs)


def _with_last(rows: torch.Tensor, row: torch.Tensor | int) -> torch.Tensor:
    changed = rows.clone()
    changed[-1] = row
    return changed


def _same_buffers(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    # To the last bit: a running mean may move by little.
    return one.keys() == other.keys() and all(_alike(one[name], other[name], 0.0) for name in one)


def _alike(one: torch.Tensor, other: torch.Tensor, tolerance: float | None = None) -> bool:
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if one.layout != torch.strided:
        one, other = one.to_dense(), other.to_dense()
    if not one.is_floating_point():
        return bool(torch.equal(one, other))
    if tolerance is None:
        tolerance = _TOLERANCE_IN_HALF if one.element_size() < 4 else _TOLERANCE
    largest = float(one.detach().nan_to_num(0, 0, 0).abs().max()) if one.numel() else 0.0
    return bool(torch.allclose(one, other, rtol=tolerance, atol=tolerance * largest, equal_nan=True))


def _warn_of_chance(what: str) -> None:
    warnings.warn(
        f"the {what} does not give the same twice, so whether examples change what others get could not be tried",
        stacklevel=6,
    )
