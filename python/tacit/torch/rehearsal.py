"""One step on rows that are made up: what cannot work is seen before anything is charged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.utils.data import ConcatDataset, DataLoader, Dataset, Subset, TensorDataset

from tacit.errors import InputError
from tacit.torch import _native
from tacit.torch.data_loader import reads_as
from tacit.torch.steps import HALF, Losses

_SEED = 1
_SOME = 1000


def in_half_precision(device: torch.device, plan: _native.Plan) -> torch.autocast:
    """While it is entered the model runs in bfloat16, where the plan has mixed precision."""
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=plan.mixed_precision)


def rehearse(
    model: nn.Module, loss: Callable[[Any, Any], Any], loader: DataLoader[Any], plan: _native.Plan, size: int
) -> None:
    """A step with `size` examples in the shape of the dataset's first. Refuses a model that mixes
    examples, one that gives no row for each, and what does not fit into memory."""
    device = next(model.parameters()).device
    x, y = (_made_up(each, size).to(device) for each in _first_pair(loader))
    with torch.random.fork_rng(devices=[]):
        try:
            with in_half_precision(device, plan):
                output = model(x)
            if not isinstance(output, torch.Tensor) or output.ndim == 0:
                raise InputError(
                    f"the model gives a {type(output).__name__}", "model", "let it give one tensor, a row for each example"
                )
            boundary = output.detach().float().requires_grad_() if output.dtype in HALF else output.detach().requires_grad_()
            with in_half_precision(device, plan):
                value = loss(boundary, y)
            value.backward()
            losses = Losses().of_examples(output, boundary.grad, size)
            trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
            _native.rehearse(plan, trained, losses)
        except (RuntimeError, OSError) as failure:
            if not _is_out_of_memory(failure):
                raise
            raise InputError(
                f"a part of {size} examples does not fit into memory",
                "max_physical_batch_size",
                "give a smaller one: it changes speed and memory, not the result",
            ) from failure
    check_labels(loader.dataset, loss, output)


def _first_pair(loader: DataLoader[Any]) -> tuple[torch.Tensor, torch.Tensor]:
    pair = loader.collate_fn([loader.dataset[0]])
    if not (isinstance(pair, (tuple, list)) and len(pair) == 2 and all(isinstance(each, torch.Tensor) for each in pair)):
        raise InputError("examples are no pairs (x, y) of tensors", "dataset", "a loop of your own takes others: PrivacyEngine")
    return pair[0], pair[1]


def _made_up(like: torch.Tensor, size: int) -> torch.Tensor:
    shape = (size, *like.shape[1:])
    if not like.is_floating_point():
        return torch.zeros(shape, dtype=like.dtype)
    return torch.randn(shape, dtype=like.dtype, generator=torch.Generator().manual_seed(_SEED))


def _is_out_of_memory(failure: Exception) -> bool:
    return isinstance(failure, torch.OutOfMemoryError) or "allocate" in str(failure)


def check_labels(dataset: Dataset[Any], loss: object, output: torch.Tensor) -> None:
    """Classes are numbers below that of the model's outputs. All labels are looked at where the dataset
    holds them in one tensor or list (TensorDataset, `targets`); of others those of `_SOME` examples,
    since each may be a file to read."""
    is_of_classes = loss in (nn.functional.cross_entropy, nn.functional.nll_loss) or isinstance(
        loss, (nn.CrossEntropyLoss, nn.NLLLoss)
    )
    if not is_of_classes:
        return
    labels = _labels(dataset)
    if labels is None:
        labels = _some_labels(dataset)
    if labels.is_floating_point():
        return
    classes = output.shape[1] if output.ndim > 1 else 1
    if bool(((labels < 0) | (labels >= classes)).any()):
        raise InputError(
            f"a label is out of range: the model tells {classes} classes apart",
            "dataset",
            f"labels go from 0 to {classes - 1}",
        )


def _some_labels(dataset: Any) -> torch.Tensor:
    apart = max(1, len(dataset) // _SOME)
    return torch.stack([torch.as_tensor(dataset[place][1]) for place in range(0, len(dataset), apart)])


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
