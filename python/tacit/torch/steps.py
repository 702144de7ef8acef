"""The three things that a training loop touches, and the steps they share.

A model's output is cut off from its graph and handed to the caller, whose loss leaves in it the
gradient of each example's loss. When the optimizer steps, the product of output and gradient is, for
each example, a loss with the same gradient in the parameters; of these the engine takes clipped
sums. So any loss will do that is a mean (or sum) over examples.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset

from tacit.errors import InputError
from tacit.torch import _native


@dataclass(frozen=True)
class _Part:
    """Examples of the batch under way that are in the caller's hands."""

    size: int
    last: bool


class Steps:
    """The steps of one training, in the order in which they are safe: draw, add, finish."""

    def __init__(
        self,
        begin: Callable[[], _native.Run],
        *,
        may_begin_again: bool,
        scale_by_size: bool,
    ) -> None:
        self._begin = begin
        self._may_begin_again = may_begin_again
        self._scale_by_size = scale_by_size
        self._run: _native.Run | None = None
        self._warned = False
        self.is_open = False
        self.taken = 0
        self.part: _Part | None = None
        self.outputs: list[tuple[torch.Tensor, torch.Tensor]] = []

    def begin(self) -> None:
        """Pay for (more) steps."""
        self._run = self._begin()

    def draw(self) -> list[int]:
        """Begin a step: the places of its examples. Private, and so is their number."""
        if self._run is None or (self._run.steps_left == 0 and self._may_begin_again):
            self.begin()
        assert self._run is not None
        places = self._run.draw()
        self.is_open = True
        self.taken += 1
        return places

    def add(self) -> bool:
        """Add the part that was handed out; whether it was the last of its batch."""
        part, outputs = self.part, self.outputs
        self.part, self.outputs = None, []
        if part is None:
            raise InputError("there is no batch to step with", "optimizer.step", "take one from the loader first")
        if len(outputs) != 1:
            raise InputError(
                f"the model was called {len(outputs)} times in training mode since the batch was drawn",
                "optimizer.step",
                "call it once, on all of the batch: an example's part is bounded for one call "
                "(model.train() turns training mode on)",
            )
        output, boundary = outputs[0]
        if boundary.grad is None:
            raise InputError("the loss left no gradient", "optimizer.step", "call loss.backward() before")
        if output.shape[0] != part.size:
            raise InputError(
                f"the model gave {output.shape[0]} rows for a batch of another size",
                "optimizer.step",
                "its output must have one row for each example, in their order",
            )
        scale = part.size if self._scale_by_size else 1
        losses = (output * (boundary.grad * scale)).reshape(part.size, -1).sum(1)
        assert self._run is not None
        self._run.add(losses)
        self._warn_of_slow_parameters()
        return part.last

    def finish(self) -> None:
        """Leave the noisy sum, divided by the expected batch size, in the parameters' gradients."""
        assert self._run is not None
        self.is_open = False
        self._run.finish_step()

    def abandon(self) -> None:
        """Forget a batch that a caller left behind. It stays paid for."""
        self.part, self.outputs = None, []
        if self.is_open:
            self.finish()

    def _warn_of_slow_parameters(self) -> None:
        assert self._run is not None
        if self._run.slow and not self._warned:
            self._warned = True
            warnings.warn(
                "gradients are taken one example at a time, which is slow, for " + ", ".join(self._run.slow),
                stacklevel=4,
            )


class PrivateModule(nn.Module):
    """The model; in training mode its outputs are cut off from its graph."""

    def __init__(self, module: nn.Module, steps: Steps) -> None:
        super().__init__()
        self._module = module
        self._steps = steps

    def forward(self, *inputs: Any, **named: Any) -> Any:
        output = self._module(*inputs, **named)
        if not (self.training and torch.is_grad_enabled()):
            return output
        if not isinstance(output, torch.Tensor) or output.ndim == 0:
            raise InputError(
                f"the model gives a {type(output).__name__}",
                "the model",
                "let it give one tensor with a row for each example",
            )
        boundary = output.detach().requires_grad_()
        self._steps.outputs.append((output, boundary))
        return boundary

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(super().__getattr__("_module"), name)


class PrivateOptimizer(torch.optim.Optimizer):
    """The optimizer; it steps with clipped and noisy gradients."""

    def __init__(self, optimizer: torch.optim.Optimizer, steps: Steps) -> None:
        # Its state is the other's: the base class is for those who ask what it is.
        self.original_optimizer = optimizer
        self._steps = steps

    def step(self, closure: Callable[[], Any] | None = None) -> Any:  # type: ignore[override]
        """Add the batch, or the part of it, that was drawn; step where it was the last part."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        if self._steps.add():
            self._step_with_noise()
        return loss

    def step_without_examples(self) -> None:
        """The step of a batch that drew nobody: noise alone."""
        self._step_with_noise()

    def _step_with_noise(self) -> None:
        self._steps.finish()
        self.original_optimizer.step()

    def zero_grad(self, set_to_none: bool = True) -> None:
        self.original_optimizer.zero_grad(set_to_none)

    def state_dict(self) -> dict[str, Any]:
        state: dict[str, Any] = self.original_optimizer.state_dict()
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self.original_optimizer.load_state_dict(state_dict)

    def __repr__(self) -> str:
        return f"PrivateOptimizer({self.original_optimizer!r})"

    def __getattr__(self, name: str) -> Any:
        if name == "original_optimizer":
            raise AttributeError(name)
        return getattr(self.original_optimizer, name)


class PrivateLoader:
    """Batches into which each example goes with the same probability, independently of all else."""

    def __init__(
        self,
        loader: DataLoader[Any],
        steps: Steps,
        optimizer: PrivateOptimizer,
        max_part: int | None = None,
    ) -> None:
        self.dataset: Dataset[Any] = loader.dataset
        self._loader = loader
        self._steps = steps
        self._optimizer = optimizer
        self._max_part = max_part

    def __len__(self) -> int:
        return len(self._loader)

    def __iter__(self) -> Iterator[Any]:
        self._steps.abandon()
        for _ in range(len(self)):
            places = self._steps.draw()
            if not places:
                self._optimizer.step_without_examples()
                continue
            yield from self._parts(places)

    def split(self, max_part: int) -> PrivateLoader:
        """The same, its batches in parts of at most `max_part` examples."""
        if max_part < 1:
            raise InputError("a part has at least one example", "max_physical_batch_size")
        return PrivateLoader(self._loader, self._steps, self._optimizer, max_part)

    def _parts(self, places: list[int]) -> Iterator[Any]:
        size = self._max_part or len(places)
        for start in range(0, len(places), size):
            part = places[start : start + size]
            self._steps.part = _Part(len(part), last=start + size >= len(places))
            yield self._read(part)
            if self._steps.part is not None:
                raise InputError("a batch was left without optimizer.step()", "the loader", "step once for each batch")

    def _read(self, places: list[int]) -> Any:
        dataset = self.dataset
        if isinstance(dataset, TensorDataset):
            return [tensor[places] for tensor in dataset.tensors]
        if hasattr(dataset, "__getitems__"):
            return self._loader.collate_fn(dataset.__getitems__(places))
        return self._loader.collate_fn([dataset[place] for place in places])


class BatchMemoryManager:
    """Batches in parts that fit into memory; steps are taken after the last part of each."""

    def __init__(
        self, *, data_loader: PrivateLoader, max_physical_batch_size: int, optimizer: PrivateOptimizer
    ) -> None:
        self._loader = data_loader.split(max_physical_batch_size)

    def __enter__(self) -> PrivateLoader:
        return self._loader

    def __exit__(self, *raised: object) -> None:
        return None
