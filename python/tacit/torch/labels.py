"""Which classes a dataset's labels are of."""

from __future__ import annotations

import time
from typing import Any

import torch
from torch.utils.data import ConcatDataset, Subset, TensorDataset

from tacit.torch.data_loader import ExampleReader, reads_as

_SOME = 1000
_SECONDS = 2.0
"""At most as many examples are read for their labels, about, and for as long."""
_COMPARED = 10
_LABELS = 100_000
_CLASSES = 64
"""At most as many labels and classes are looked at, about."""


def number_of_classes(output: torch.Tensor, y: torch.Tensor) -> int | None:
    """Where labels are whole numbers, one for each row of outputs (or place in it) and outputs are
    several: in the second dimension, as PyTorch's losses have them, or in the last."""
    if y.is_floating_point() or y.dtype == torch.bool or output.ndim < 2:
        return None
    for classes, places in ((output.shape[1], output.shape[2:]), (output.shape[-1], output.shape[1:-1])):
        if y.shape[1:] == places and classes > 1:
            return int(classes)
    return None


def some_classes(dataset: Any, reader: ExampleReader) -> list[int]:
    """Of all labels where the dataset holds them in one tensor or list (TensorDataset, `targets`) and the
    reader gives the same; of others those of some examples, since each may be a file to read."""
    labels = _labels(dataset)
    if labels is None or not _are_given(labels, dataset, reader):
        labels = _read_labels(dataset, reader)
    labels = labels.flatten().long()
    least, largest = (int(each) for each in labels.aminmax())
    found = labels[:: max(1, len(labels) // _LABELS)].unique()
    between = found[:: max(1, len(found) // _CLASSES)].tolist()
    return sorted({least, largest, *(int(each) for each in between)})


def _read_labels(dataset: Any, reader: ExampleReader) -> torch.Tensor:
    places = range(0, len(dataset), -(-len(dataset) // _SOME))
    labels: list[torch.Tensor] = []
    end = time.monotonic() + _SECONDS
    for start in range(0, len(places), 20):
        labels += [y.flatten() for _, y in reader.read([[place] for place in places[start : start + 20]])]
        if time.monotonic() > end:
            break
    return torch.cat(labels)


def _are_given(labels: torch.Tensor, dataset: Any, reader: ExampleReader) -> bool:
    """Whether examples come with these: a dataset or a collate_fn may change them."""
    places = sorted({place * (len(dataset) - 1) // (_COMPARED - 1) for place in range(_COMPARED)})
    given = list(reader.read([[place] for place in places]))
    return all(torch.equal(y[0].cpu(), labels[place].to(y.dtype)) for place, (_, y) in zip(places, given, strict=True))


def _labels(dataset: Any) -> torch.Tensor | None:
    if reads_as(dataset, Subset):
        labels = _labels(dataset.dataset)
        return None if labels is None else labels[list(dataset.indices)]
    if reads_as(dataset, ConcatDataset):
        parts = [_labels(part) for part in dataset.datasets]
        return None if any(part is None for part in parts) else torch.cat([part for part in parts if part is not None])
    if reads_as(dataset, TensorDataset):
        return dataset.tensors[-1].cpu()
    try:
        labels = torch.as_tensor(dataset.targets)
    except (AttributeError, RuntimeError, TypeError, ValueError):  # none, or names
        return None
    return labels.cpu() if labels.ndim > 0 and len(labels) == len(dataset) else None
