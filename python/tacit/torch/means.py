"""Means over private examples, told with noise: constants to normalize by, and the loss."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.utils.data import Dataset

from tacit.errors import InputError
from tacit.torch import _native

_LEAST_VARIANCE = 1e-4
"""Of features in [-1, 1]: noise may say less, down to below 0."""


@dataclass(frozen=True)
class Normalization:
    """What features are normalized by: their means and standard deviations, a number for each channel
    of an image or feature of a row. Called on an example, it normalizes it."""

    mean: list[float]
    std: list[float]
    noise: list[float]
    """The standard deviation of the noise in each mean."""
    epsilon: float
    """Of these constants alone, at `delta`, for one example more or less."""
    delta: float
    account: str

    def __call__(self, x: torch.Tensor) -> Any:
        shape = (-1,) + (1,) * (x.ndim - 1)
        mean, std = (torch.tensor(each, dtype=x.dtype, device=x.device) for each in (self.mean, self.std))
        return (x - mean.reshape(shape)) / std.reshape(shape)


@dataclass(frozen=True)
class FeatureRanges:
    """The declared range of each feature. Values outside count as its ends."""

    middle: torch.Tensor
    half: torch.Tensor

    @classmethod
    def of(cls, low: float | Sequence[float], high: float | Sequence[float], features: int) -> FeatureRanges:
        lows, highs = _for_each(low, features, "low"), _for_each(high, features, "high")
        if not bool((lows < highs).all()) or not bool((highs - lows).isfinite().all()):
            raise InputError("a range goes from low up to high", "low", "declare what features can be")
        return cls((lows + highs) / 2, (highs - lows) / 2)

    def statistics(self, x: torch.Tensor) -> torch.Tensor:
        """Of one example: the mean of each feature and of its square, the range stretched to [-1, 1]."""
        values = (x.to(torch.float64).reshape(len(self.half), -1) - self.middle[:, None]) / self.half[:, None]
        within = values.nan_to_num(0).clamp(-1, 1)
        return torch.cat([within.mean(1), within.square().mean(1)])

    def constants(self, means: list[float]) -> tuple[list[float], list[float]]:
        """Mean and standard deviation of each feature, as it was."""
        first, second = torch.tensor(means, dtype=torch.float64).reshape(2, -1)
        first = first.clamp(-1, 1)
        variance = (second - first.square()).clamp(min=_LEAST_VARIANCE)
        return (self.middle + first * self.half).tolist(), (variance.sqrt() * self.half).tolist()


def _for_each(given: float | Sequence[float], features: int, name: str) -> torch.Tensor:
    numbers = torch.as_tensor(given, dtype=torch.float64).reshape(-1)
    if len(numbers) not in (1, features):
        raise InputError(f"there are {len(numbers)} numbers for {features} features", name, "give one, or one for each")
    return numbers.expand(features)


def features_of(example: Any) -> torch.Tensor:
    """The features of an example: itself, or the first of a pair."""
    features = example[0] if isinstance(example, (tuple, list)) else example
    if not isinstance(features, torch.Tensor) or features.ndim == 0:
        raise InputError(
            f"features come as a {type(features).__name__}", "dataset", "let examples be tensors, or pairs that begin with one"
        )
    return features


def tell_constants(means: _native.Means, dataset: Dataset[Any], ranges: FeatureRanges) -> list[float]:
    """Read all examples, one at a time: what is computed of one must not depend on others."""
    for place in means.draw():
        means.add(ranges.statistics(features_of(dataset[place]))[None])
    return means.tell()


@dataclass(frozen=True)
class NoisyLoss:
    """The loss on private data, told a few times while training goes on: a release with a cost of its
    own, which the target of the training covers."""

    bound: float
    """Losses of examples above it count as it."""
    deviation: float
    """The standard deviation of the noise in each mean that is told."""
    times: int = 10

    def plan(self, training: _native.Plan) -> _native.MeansPlan:
        """Of samples at the rate of the training's batches."""
        if not (self.bound > 0 and self.deviation > 0):
            raise InputError("bound and deviation are above 0", "noisy_loss")
        if training.neighbours != "add_remove":
            raise InputError(
                "a noisy loss is told of a Poisson sample, and does not add up with batches of a fixed size",
                "noisy_loss",
                "leave it or poisson_sampling=False out",
            )
        # The engine makes noise a little larger, for the rounding of losses.
        noise = repr(self.deviation / self.bound * training.expected_batch_size / (1 + 2**-7))
        return _native.MeansPlan(training.examples, training.rate_text, self.times, 1, noise)


@dataclass
class LossReadings:
    """The noisy losses of a training, at evenly spaced steps."""

    asked: NoisyLoss
    plan: _native.MeansPlan
    means: _native.Means
    steps: int
    told: list[tuple[int, float]] = field(default_factory=list)

    def tell_what_is_due(self, step: int, losses: Callable[[list[int]], torch.Tensor]) -> None:
        """`losses` gives the loss of each example at some places. What a kill lost is not told again."""
        while self.means.times_left > 0 and step * self.asked.times >= (self._begun + 1) * self.steps:
            places = self.means.draw()
            if places:
                self.means.add(losses(places)[:, None] / self.asked.bound)
            (mean,) = self.means.tell()
            self.told.append((step, mean * self.asked.bound))

    @property
    def _begun(self) -> int:
        return self.asked.times - self.means.times_left
