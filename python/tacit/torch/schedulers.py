"""Schedulers of noise and bound by the names that users of Opacus know.

Steps are charged before they are taken, with the noise that they have. So where each epoch is charged
as it begins (make_private), a scheduler is stepped between epochs; where all are charged together
(make_private_with_epsilon), it must be the schedule that was declared:

    optimizer = engine.make_private_with_epsilon(..., noise_schedule=lambda epoch: 0.99**epoch)[1]
    scheduler = ExponentialNoise(optimizer, gamma=0.99)     # changes nothing more, and is checked
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tacit.errors import InputError
from tacit.torch.optimizer import PrivateOptimizer


class Scheduler:
    """Gives the optimizer a value of its own in each epoch, beginning with that which it has."""

    _what: str

    def __init__(self, optimizer: PrivateOptimizer, *, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, PrivateOptimizer):
            raise InputError(
                f"a {type(optimizer).__name__} adds no noise", "optimizer", "give the one that make_private gave back"
            )
        optimizer.check_may_change(self._what)
        self.optimizer = optimizer
        self.last_epoch = last_epoch
        self.base = self._value
        self.first_epoch = max(last_epoch, 0)
        self.step()

    def step(self) -> None:
        """The next epoch begins."""
        self.last_epoch += 1
        self._value = self._next()

    def _next(self) -> float:
        """By the base, never by the value before: a schedule that was declared has moved that already."""
        return self.base * self._factor(self.last_epoch) / self._factor(self.first_epoch)

    def _factor(self, epoch: int) -> float:
        raise NotImplementedError

    def state_dict(self) -> dict[str, Any]:
        """All but the optimizer, and functions."""
        return {name: value for name, value in vars(self).items() if name != "optimizer" and not callable(value)}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """What state_dict() gave. The optimizer gets the value of that epoch."""
        vars(self).update(state_dict)
        self._value = self._next()

    @property
    def _value(self) -> float:
        raise NotImplementedError

    @_value.setter
    def _value(self, value: float) -> None:
        raise NotImplementedError


class _NoiseScheduler(Scheduler):
    _what = "noise"

    @property
    def _value(self) -> float:
        return self.optimizer.noise_multiplier

    @_value.setter
    def _value(self, value: float) -> None:
        self.optimizer.noise_multiplier = value

    def get_noise_multiplier(self) -> float:
        """That of the epoch."""
        return self._next()


class _GradClipScheduler(Scheduler):
    _what = "clip"

    @property
    def _value(self) -> float:
        return self.optimizer.max_grad_norm

    @_value.setter
    def _value(self, value: float) -> None:
        self.optimizer.max_grad_norm = value

    def get_max_grad_norm(self) -> float:
        """That of the epoch."""
        return self._next()


class _Exponential(Scheduler):
    def __init__(self, optimizer: PrivateOptimizer, *, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch=last_epoch)

    def _factor(self, epoch: int) -> float:
        return self.gamma**epoch


class _Step(Scheduler):
    def __init__(self, optimizer: PrivateOptimizer, *, step_size: int, gamma: float, last_epoch: int = -1) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch=last_epoch)

    def _factor(self, epoch: int) -> float:
        return self.gamma ** (epoch // self.step_size)


class _Lambda(Scheduler):
    def __init__(self, optimizer: PrivateOptimizer, factor: Callable[[int], float], last_epoch: int) -> None:
        self._function = factor
        super().__init__(optimizer, last_epoch=last_epoch)

    def _next(self) -> float:
        return self.base * self._function(self.last_epoch)


class ExponentialNoise(_Exponential, _NoiseScheduler):
    """The noise multiplier times `gamma`, each epoch."""


class StepNoise(_Step, _NoiseScheduler):
    """The noise multiplier times `gamma`, every `step_size` epochs."""


class LambdaNoise(_Lambda, _NoiseScheduler):
    """The first noise multiplier times what `noise_lambda` gives for the epoch."""

    def __init__(
        self, optimizer: PrivateOptimizer, *, noise_lambda: Callable[[int], float], last_epoch: int = -1
    ) -> None:
        super().__init__(optimizer, noise_lambda, last_epoch)


class ExponentialGradClip(_Exponential, _GradClipScheduler):
    """The bound times `gamma`, each epoch."""


class StepGradClip(_Step, _GradClipScheduler):
    """The bound times `gamma`, every `step_size` epochs."""


class LambdaGradClip(_Lambda, _GradClipScheduler):
    """The first bound times what `scheduler_function` gives for the epoch."""

    def __init__(
        self, optimizer: PrivateOptimizer, *, scheduler_function: Callable[[int], float], last_epoch: int = -1
    ) -> None:
        super().__init__(optimizer, scheduler_function, last_epoch)


__all__ = [
    "ExponentialGradClip",
    "ExponentialNoise",
    "LambdaGradClip",
    "LambdaNoise",
    "Scheduler",
    "StepGradClip",
    "StepNoise",
]
