"""One step on rows that are made up: what cannot work is seen before anything is charged."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeAlias

import torch
from torch import nn
from torch.utils.data import DataLoader

from tacit.errors import InputError, TacitError
from tacit.torch import _native
from tacit.torch.data_loader import ExampleReader
from tacit.torch.labels import number_of_classes, some_classes
from tacit.torch.mixing import Loss, as_it_was, check_loss, check_model
from tacit.torch.outputs import in_single_precision
from tacit.torch.steps import Losses

RowsOf: TypeAlias = Callable[[torch.Tensor, int], torch.Tensor]
"""Makes rows in the shape of an example."""

FEW = 8
"""Rows of which one is changed: in more it would move the others less."""
_SEED = 1
_FAR = 100.0
_MUCH = 10**7
"""Outputs that a loss is not tried on for each class."""


def in_half_precision(device: torch.device, plan: _native.Plan) -> torch.autocast:
    """While it is entered the model runs in bfloat16, where the plan has mixed precision."""
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=plan.mixed_precision)


def rehearse(model: nn.Module, loss: Loss, loader: DataLoader[Any], plan: _native.Plan, size: int) -> None:
    """A step with `size` examples in the shape of the dataset's first. Refuses a model or a loss that
    mixes examples, a model that gives no row for each, labels out of range, and what does not fit into
    memory. Where made-up rows do not go through the model, the dataset's first example is repeated:
    nothing of it is told."""
    failure: Exception
    for rows_of in (made_up, repeated):
        try:
            with as_it_was(model):
                rehearsal = Rehearsal(model, loss, loader, plan)
                x, y = rehearsal.rows(rows_of, size)
                rehearsal.step(x, y)
                rehearsal.check_model(x[:FEW], rows_of)
                return rehearsal.check_labels(x[:FEW], y[:FEW])
        except Exception as raised:
            if is_out_of_memory(raised):
                raise InputError(
                    f"a part of {size} examples does not fit into memory",
                    "max_physical_batch_size",
                    "give a smaller one: it changes speed and memory, not the result",
                ) from raised
            if isinstance(raised, TacitError):
                raise
            failure = raised
    raise InputError(
        f"a step failed that was tried before anything is charged: {type(failure).__name__}: {failure}",
        "the rehearsal",
        "try loss(model(x), y) on a batch of the dataset",
    ) from failure


class Rehearsal:
    """What a training would do, in the precision in which it would."""

    def __init__(
        self,
        model: nn.Module,
        loss: Loss | None,
        loader: DataLoader[Any],
        plan: _native.Plan,
        losses: Losses = Losses(),
    ) -> None:
        """Where the loss is not known, steps are tried with some gradient, and labels that look like classes."""
        self._model = model
        self._criterion = loss
        self._dataset = loader.dataset
        self._reader = ExampleReader(loader)
        self._plan = plan
        self._losses = losses
        self._device = next(model.parameters()).device

    def rows(self, rows_of: RowsOf, size: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Inputs and labels, on the model's device."""
        x, y = self._example(0)
        return rows_of(x, size).to(self._device), rows_of(y, size).to(self._device)

    def goes_through(self, x: torch.Tensor, y: torch.Tensor) -> bool:
        """Whether the model gives a row for each, to be trained by, and the loss takes them for one number."""
        with as_it_was(self._model):
            output = self.forward(x.clone())
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # of shapes that do not fit each other, say
            is_one = self._criterion is None or self._loss(_as_seen(output), y).ndim == 0
        return is_one and len(output) == len(x) and output.is_floating_point() and output.requires_grad

    def step(self, x: torch.Tensor, y: torch.Tensor) -> None:
        """All that a step does but noise."""
        with as_it_was(self._model):
            output = self.forward(x.clone())
        boundary = _as_seen(output).requires_grad_()
        if self._criterion is None:
            gradient = made_up(boundary, len(x)).to(self._device) / len(x)
        else:
            (gradient,) = torch.autograd.grad(self._loss(boundary, y), boundary)
        losses = self._losses.of_examples(output, gradient, len(x))
        trained = [parameter for parameter in self._model.parameters() if parameter.requires_grad]
        _native.rehearse(self._plan, trained, losses)

    def check_model(self, x: torch.Tensor, rows_of: RowsOf) -> None:
        """Refuses a model that mixes examples, or keeps something of them, tried on a few."""
        # Another example than the first, which is repeated where made-up rows do not go through; far off
        # to both sides where they and it do, so that a largest number or an order shows as well.
        other = _in_shape(self._example(-1)[0][0].to(self._device), x[0])
        if rows_of is made_up and other.is_floating_point():
            try:
                return check_model(self._model, self.forward, x, [_FAR * other, -_FAR * other])
            except TacitError:
                raise
            except Exception:  # whatever a model raises of such numbers
                pass
        check_model(self._model, self.forward, x, [other])

    def check_labels(self, x: torch.Tensor, y: torch.Tensor) -> None:
        """Refuses labels out of range, and a loss that mixes examples."""
        with torch.no_grad(), as_it_was(self._model):
            outputs = _as_seen(self.forward(x.clone()))
        classes = self._classes(outputs, y)
        if self._criterion is not None and self._losses.is_mean:
            check_loss(self._loss, outputs, y, classes, self._plan.mixed_precision)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """What the model gives."""
        with in_half_precision(self._device, self._plan):
            output = self._model(x)
        if not isinstance(output, torch.Tensor) or output.ndim == 0:
            raise InputError(
                f"the model gives a {type(output).__name__}", "model", "let it give one tensor, a row for each example"
            )
        return output

    def _example(self, place: int) -> tuple[torch.Tensor, torch.Tensor]:
        """As a batch of one; from the end where `place` is below 0."""
        (pair,) = self._reader.read([[place % len(self._dataset)]])  # type: ignore[arg-type]
        if not _is_pair(pair):
            raise InputError(
                "examples are no pairs (x, y) of tensors", "dataset", "a loop of your own takes others: PrivacyEngine"
            )
        return pair[0], pair[1]

    def _loss(self, output: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        criterion = nn.functional.cross_entropy if self._criterion is None else self._criterion
        with in_half_precision(self._device, self._plan):
            return criterion(output, y)

    def _classes(self, outputs: torch.Tensor, y: torch.Tensor) -> list[int]:
        """Some of the classes that the dataset has, its least and its largest; none where labels are no
        classes. Refuses those that the loss does not take."""
        count = number_of_classes(outputs, y)
        if count is None:
            return []
        classes = some_classes(self._dataset, self._reader)
        if self._criterion is None and 2 * sum(0 <= label < count for label in classes) < len(classes):
            return []  # ages or places of something, more likely
        for label in (classes[0], classes[-1]):
            if not (0 <= label < count or self._takes(outputs, torch.full_like(y, label))):
                hint = f"labels go from 0 to {count - 1}"
                if self._criterion is None:
                    hint += "; where they are no classes, or the loop changes them or leaves some out, give its loss as criterion="
                raise InputError(f"a label is out of range: the model tells {count} classes apart", "dataset", hint)
        return classes if outputs.numel() <= _MUCH else [classes[0], classes[-1]]

    def _takes(self, outputs: torch.Tensor, y: torch.Tensor) -> bool:
        # Labels need not be places of outputs. An accelerator that is asked for a place that is not
        # there fails for good, so there they must.
        if outputs.device.type != "cpu":
            return False
        try:
            self._loss(outputs, y)
        except (IndexError, RuntimeError, ValueError):
            return False
        return True


def _is_pair(batch: Any) -> bool:
    """Inputs and labels, each in one tensor."""
    return isinstance(batch, (tuple, list)) and len(batch) == 2 and all(isinstance(each, torch.Tensor) for each in batch)


def made_up(like: torch.Tensor, size: int) -> torch.Tensor:
    """Rows by chance, always the same; zeros where numbers are whole."""
    shape = (size, *like.shape[1:])
    if not like.is_floating_point():
        return torch.zeros(shape, dtype=like.dtype)
    return torch.randn(shape, dtype=like.dtype, generator=torch.Generator().manual_seed(_SEED))


def repeated(example: torch.Tensor, size: int) -> torch.Tensor:
    """The example, again and again."""
    return example.repeat(size, *(1 for _ in example.shape[1:]))


def _in_shape(row: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """Cut off or filled up with zeros: examples may be of different lengths."""
    if row.ndim != like.ndim:
        return like
    shaped = torch.zeros_like(like)
    both = tuple(slice(min(sides)) for sides in zip(row.shape, like.shape, strict=True))
    shaped[both] = row[both]
    return shaped


def is_out_of_memory(failure: Exception) -> bool:
    """Of a device or of the processor."""
    return isinstance(failure, torch.OutOfMemoryError) or (
        isinstance(failure, (RuntimeError, OSError)) and "allocate" in str(failure)
    )


def _as_seen(output: torch.Tensor) -> torch.Tensor:
    """By a loss, while it trains."""
    return in_single_precision(output.detach())
