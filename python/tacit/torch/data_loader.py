"""Batches into which each example goes by chance, whole or in parts that fit into memory."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from typing import Any, NoReturn

import torch
from torch.utils import _pytree
from torch.utils.data import DataLoader, Dataset, TensorDataset
from torch.utils.data._utils.collate import default_collate

from tacit.errors import InputError
from tacit.torch.by_hand import made_by_engine
from tacit.torch.optimizer import PrivateOptimizer
from tacit.torch.steps import Part, Steps

Places = list[int]

NOBODY = -1
"""The place of a row that is made up, as the engine has it."""


def reads_as(dataset: object, kind: type) -> bool:
    """Whether it gives the examples that `kind` would: a subclass may give others."""
    return isinstance(dataset, kind) and all(
        getattr(type(dataset), how, None) is getattr(kind, how, None) for how in ("__getitem__", "__getitems__")
    )


class ExampleReader:
    """Reads examples by their places as a loader would, in its worker processes where it has some."""

    def __init__(self, loader: DataLoader[Any]) -> None:
        self._dataset = loader.dataset
        self._collate = loader.collate_fn
        self._is_tensors = reads_as(loader.dataset, TensorDataset) and loader.collate_fn is default_collate
        self._asked: list[Places] = []
        self._workers = self._with_workers(loader) if loader.num_workers > 0 else None

    def read(self, parts: list[Places]) -> Iterator[Any]:
        if self._is_tensors:
            for places in parts:
                yield [tensor[places] for tensor in self._dataset.tensors]
        elif self._workers is None:
            for places in parts:
                yield self._collate(self._examples(places))
        else:
            self._asked[:] = parts
            yield from self._workers

    def _examples(self, places: Places) -> Any:
        if hasattr(self._dataset, "__getitems__"):
            return self._dataset.__getitems__(places)
        return [self._dataset[place] for place in places]

    def _with_workers(self, loader: DataLoader[Any]) -> DataLoader[Any]:
        # Workers read ahead within a batch, and never draw one: the next is drawn when its step is due.
        return DataLoader(
            loader.dataset,
            batch_sampler=self._asked,
            num_workers=loader.num_workers,
            collate_fn=loader.collate_fn,
            pin_memory=loader.pin_memory,
            timeout=loader.timeout,
            worker_init_fn=loader.worker_init_fn,
            multiprocessing_context=loader.multiprocessing_context,
            prefetch_factor=loader.prefetch_factor,
            persistent_workers=True,
        )


class PrivateLoader:
    """Batches into which each example goes with the same probability, independently of all else."""

    def __init__(self, loader: DataLoader[Any], steps: Steps, optimizer: PrivateOptimizer) -> None:
        self.dataset: Dataset[Any] = loader.dataset
        self.original_loader = loader
        self._steps = steps
        self._optimizer = optimizer
        self._reader = ExampleReader(loader)
        self._max_part: int | None = None

    def __len__(self) -> int:
        """Of batches; or of parts, about."""
        batches = len(self.original_loader)
        if self._max_part is None:
            return batches
        return math.ceil(batches * max(1.0, self._optimizer.expected_batch_size / self._max_part))

    def __iter__(self) -> Iterator[Any]:
        return self.batches(len(self.original_loader))

    def batches(self, count: int) -> Iterator[Any]:
        """As many, whatever makes an epoch; fewer where those that are paid for run out, as they do after
        a caller took one batch to look at. Where none was left to begin with, that is an error."""
        self._steps.abandon()
        for number in range(count):
            if number > 0 and self._steps.are_used_up:
                return
            places = self._steps.draw(self._max_part)
            if places:
                yield from self._batch(places)
            else:
                self._optimizer.step_without_examples()

    def split(self, max_part: int) -> PrivateLoader:
        """The same, its batches in parts of at most `max_part` examples."""
        if max_part < 1:
            raise InputError("a part has at least one example", "max_physical_batch_size")
        parts = copy.copy(self)
        parts._max_part = max_part
        return parts

    def _batch(self, places: Places) -> Iterator[Any]:
        passes = self._steps.passes(places, self._max_part)
        if passes is None:
            size = self._max_part or len(places)
            passes = [places[start : start + size] for start in range(0, len(places), size)]
        parts = [[place for place in rows if place != NOBODY] for rows in passes]
        for number, examples in enumerate(self._reader.read(parts), 1):
            rows = passes[number - 1]
            self._steps.part = Part(len(rows), last=number == len(passes))
            yield examples if len(parts[number - 1]) == len(rows) else _spread(examples, rows)
            if self._steps.part is not None:
                raise InputError("a batch was left without optimizer.step()", "the loader", "step once for each batch")

    @classmethod
    def from_data_loader(cls, data_loader: DataLoader[Any], **options: Any) -> NoReturn:
        """As Opacus' users make one by hand; refused."""
        raise made_by_engine("DPDataLoader")

    def __getattr__(self, name: str) -> Any:
        if name == "original_loader":
            raise AttributeError(name)
        return getattr(self.original_loader, name)


DPDataLoader = PrivateLoader


def _spread(examples: Any, rows: Places) -> Any:
    """The examples in their rows, and zeros in those of nobody."""
    taken = torch.tensor([row for row, place in enumerate(rows) if place != NOBODY])

    def spread(leaf: Any) -> torch.Tensor:
        if not isinstance(leaf, torch.Tensor) or leaf.ndim == 0 or len(leaf) != len(taken):
            raise InputError(
                f"a {type(leaf).__name__} of a batch cannot be filled up to one size, as mixed precision needs it",
                "data_loader",
                "let collate_fn give tensors with a row for each example",
            )
        return leaf.new_zeros((len(rows), *leaf.shape[1:])).index_copy_(0, taken.to(leaf.device), leaf)

    return _pytree.tree_map(spread, examples)


class BatchMemoryManager:
    """Batches in parts that fit into memory; steps are taken after the last part of each."""

    def __init__(
        self, *, data_loader: PrivateLoader, max_physical_batch_size: int, optimizer: PrivateOptimizer
    ) -> None:
        if not isinstance(data_loader, PrivateLoader):
            raise InputError(
                f"a {type(data_loader).__name__} draws batches of which nothing is proved",
                "data_loader",
                "give the loader that make_private gave back",
            )
        self._loader = data_loader.split(max_physical_batch_size)

    def __enter__(self) -> PrivateLoader:
        return self._loader

    def __exit__(self, *raised: object) -> None:
        return None
