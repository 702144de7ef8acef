"""Factors of noise, bound and rate that are declared before the first step."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.errors import InputError
from tacit.torch import _native
from tacit.torch.options import Factor, PlanOptions

Levels = list[tuple[int, str]]


@dataclass(frozen=True)
class Schedules:
    """By epoch, as public functions of it."""

    rate: Factor | None = None
    clip: Factor | None = None
    noise: Factor | None = None

    @classmethod
    def of(cls, options: PlanOptions) -> Schedules:
        return cls(options.get("rate_schedule"), options.get("clip_schedule"), options.get("noise_schedule"))

    def over(self, plan: _native.Plan, epochs: int) -> _native.Plan:
        """The plan of one epoch, for several."""
        length = plan.steps
        return plan.with_steps(length * epochs).scheduled(
            *(_levels(factor, name, range(epochs), length) for factor, name in self._named)
        )

    def in_epoch(self, plan: _native.Plan, epoch: int) -> _native.Plan:
        """The plan of one epoch, as it is in this one."""
        return plan.scheduled(*(_levels(factor, name, range(epoch, epoch + 1), 0) for factor, name in self._named))

    @property
    def _named(self) -> list[tuple[Factor | None, str]]:
        return [(self.rate, "rate_schedule"), (self.clip, "clip_schedule"), (self.noise, "noise_schedule")]


def _levels(factor: Factor | None, name: str, epochs: range, length: int) -> Levels:
    """The factor from each step on at which it changes."""
    levels: Levels = []
    for place, epoch in enumerate(epochs):
        number = 1.0 if factor is None else float(factor(epoch))
        if not 0 < number < float("inf"):
            raise InputError(f"the factor of epoch {epoch} is {number:g}", name, "a factor is a number above 0")
        if not levels or levels[-1][1] != repr(number):
            levels.append((place * length, repr(number)))
    return levels
