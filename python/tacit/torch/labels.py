"""Which classes a dataset's labels are of."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils.data import ConcatDataset, DataLoader, Subset, TensorDataset

from tacit.torch.data_loader import ExampleReader, reads_as

_SOME = 1000
_LABELS = 100_000
_CLASSES = 64
"""At most as many examples, labels and classes are looked at, about."""


def number_of_classes(output: torch.Tensor, y: torch.Tensor) -> int | None:
    """Where labels are whole numbers, one for each row of outputs (or place in it) and outputs are
    several: in the second dimension, as PyTorch's losses have them, or in the last."""
    if y.is_floating_point() or y.dtype == torch.bool or output.ndim < 2:
        return None
    for classes, places in ((output.shape[1], output.shape[2:]), (output.shape[-1], output.shape[1:-1])):
        if y.shape[1:] == places and classes > 1:
            return int(classes)
    return None


def some_classes(loader: DataLoader[Any]) -> list[int]:
    """Of all labels where the dataset holds them in one tensor or list (TensorDataset, `targets`); of
    others those of `_SOME` examples, since each may be a file to read."""
    dataset: Any = loader.dataset
    labels = _labels(dataset)
    if labels is None:
        places = range(0, len(dataset), max(1, len(dataset) // _SOME))
        labels = torch.cat([y.unique() for _, y in ExampleReader(loader).read([[place] for place in places])])
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
