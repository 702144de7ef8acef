"""One step on rows that are made up: what cannot work is seen before anything is charged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.utils.data import ConcatDataset, DataLoader, Subset, TensorDataset

from tacit.errors import InputError, TacitError
from tacit.torch import _native
from tacit.torch.data_loader import reads_as
from tacit.torch.mixing import Loss, as_it_was, check_loss, check_model
from tacit.torch.steps import HALF, Losses

_SEED = 1
_FEW = 8
"""Rows of which one is changed: in more it would move the others less."""
_FAR = 100.0
_SOME = 1000
_LABELS = 100_000
_CLASSES = 64
"""At most as many examples, labels and classes are looked at, about."""
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
    for rows_of in (_made_up, _repeated):
        try:
            with as_it_was(model):
                return _Rehearsal(model, loss, loader, plan).hold(rows_of, size)
        except Exception as raised:
            if _is_out_of_memory(raised):
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


class _Rehearsal:
    """What a training would do, in the precision in which it would."""

    def __init__(self, model: nn.Module, loss: Loss, loader: DataLoader[Any], plan: _native.Plan) -> None:
        self._model = model
        self._criterion = loss
        self._loader = loader
        self._plan = plan
        self._device = next(model.parameters()).device

    def hold(self, rows_of: Callable[[torch.Tensor, int], torch.Tensor], size: int) -> None:
        x, y = (rows_of(each, size).to(self._device) for each in _pair(self._loader, 0))
        self._step(x, y)
        x, y = x[:_FEW], y[:_FEW]
        # Another example than the first, which is repeated where made-up rows do not go through; far off
        # to both sides where they do, so that a largest number or an order shows as well.
        other = _pair(self._loader, -1)[0][0].to(self._device)
        far = rows_of is _made_up and other.is_floating_point()
        check_model(self._model, self._forward, x, [_FAR * other, -_FAR * other] if far else [other])
        with torch.no_grad():
            outputs = _single(self._forward(x))
        classes = self._classes(outputs, y)
        check_loss(self._loss, outputs, y, classes, self._plan.mixed_precision)

    def _step(self, x: torch.Tensor, y: torch.Tensor) -> None:
        output = self._forward(x)
        boundary = _single(output).requires_grad_()
        self._loss(boundary, y).backward()
        losses = Losses().of_examples(output, boundary.grad, len(x))
        trained = [parameter for parameter in self._model.parameters() if parameter.requires_grad]
        _native.rehearse(self._plan, trained, losses)

    def _forward(self, x: torch.Tensor) -> torch.Tensor:
        with in_half_precision(self._device, self._plan):
            output = self._model(x)
        if not isinstance(output, torch.Tensor) or output.ndim == 0:
            raise InputError(
                f"the model gives a {type(output).__name__}", "model", "let it give one tensor, a row for each example"
            )
        return output

    def _loss(self, output: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        with in_half_precision(self._device, self._plan):
            return self._criterion(output, y)

    def _classes(self, outputs: torch.Tensor, y: torch.Tensor) -> list[int]:
        """Some of the classes that the dataset has, its least and its largest; none where labels are no
        classes. Refuses those that the loss does not take."""
        count = _number_of_classes(outputs, y)
        if count is None:
            return []
        classes = _some_classes(self._loader.dataset)
        for label in (classes[0], classes[-1]):
            if not (0 <= label < count or self._takes(outputs, torch.full_like(y, label))):
                raise InputError(
                    f"a label is out of range: the model tells {count} classes apart",
                    "dataset",
                    f"labels go from 0 to {count - 1}",
                )
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


def _single(output: torch.Tensor) -> torch.Tensor:
    """As a loss sees it while it trains."""
    return output.detach().float() if output.dtype in HALF else output.detach()


def _pair(loader: DataLoader[Any], place: int) -> tuple[torch.Tensor, torch.Tensor]:
    """An example, as a batch of one; from the end where `place` is below 0."""
    pair = loader.collate_fn([loader.dataset[place % len(loader.dataset)]])  # type: ignore[arg-type]
    if not (isinstance(pair, (tuple, list)) and len(pair) == 2 and all(isinstance(each, torch.Tensor) for each in pair)):
        raise InputError("examples are no pairs (x, y) of tensors", "dataset", "a loop of your own takes others: PrivacyEngine")
    return pair[0], pair[1]


def _made_up(like: torch.Tensor, size: int) -> torch.Tensor:
    shape = (size, *like.shape[1:])
    if not like.is_floating_point():
        return torch.zeros(shape, dtype=like.dtype)
    return torch.randn(shape, dtype=like.dtype, generator=torch.Generator().manual_seed(_SEED))


def _repeated(example: torch.Tensor, size: int) -> torch.Tensor:
    return example.repeat(size, *(1 for _ in example.shape[1:]))


def _is_out_of_memory(failure: Exception) -> bool:
    return isinstance(failure, torch.OutOfMemoryError) or (
        isinstance(failure, (RuntimeError, OSError)) and "allocate" in str(failure)
    )


def _number_of_classes(output: torch.Tensor, y: torch.Tensor) -> int | None:
    """Where labels are whole numbers, one for each row of outputs (or place in it) and outputs are
    several: in the second dimension, as PyTorch's losses have them, or in the last."""
    if y.is_floating_point() or y.dtype == torch.bool or output.ndim < 2:
        return None
    for classes, places in ((output.shape[1], output.shape[2:]), (output.shape[-1], output.shape[1:-1])):
        if y.shape[1:] == places and classes > 1:
            return int(classes)
    return None


def _some_classes(dataset: Any) -> list[int]:
    """Of all labels where the dataset holds them in one tensor or list (TensorDataset, `targets`); of
    others those of `_SOME` examples, since each may be a file to read."""
    labels = _labels(dataset)
    if labels is None:
        apart = max(1, len(dataset) // _SOME)
        labels = torch.cat([torch.as_tensor(dataset[place][1]).unique() for place in range(0, len(dataset), apart)])
    labels = labels.flatten()
    least, largest = (int(each) for each in labels.aminmax())
    found = labels[:: max(1, len(labels) // _LABELS)].unique()
    between = found[:: max(1, len(found) // _CLASSES)].tolist()
    return sorted({least, largest, *(int(each) for each in between)})


def _labels(dataset: Any) -> torch.Tensor | None:
    if reads_as(dataset, Subset):
        labels = _labels(dataset.dataset)
        return None if labels is None else labels[list(dataset.indices)]
    if reads_as(dataset, ConcatDataset):
        parts = [_labels(part) for part in dataset.datasets]
        return None if any(part is None for part in parts) else torch.cat([part for part in parts if part is not None])
    if reads_as(dataset, TensorDataset):
        return dataset.tensors[-1]
    # What a transform makes of targets only the examples tell.
    is_changed = getattr(dataset, "target_transform", None) is not None
    targets = None if is_changed else getattr(dataset, "targets", None)
    return None if targets is None else torch.as_tensor(targets)
