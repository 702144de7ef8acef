"""How much noise a target takes."""

from __future__ import annotations

from typing import Any

from tacit.errors import InputError
from tacit.torch import _native


def get_noise_multiplier(
    *,
    target_epsilon: float,
    target_delta: float,
    sample_rate: float,
    epochs: int | None = None,
    steps: int | None = None,
    accountant: str = "prv",
    epsilon_tolerance: float = 0.01,
    **ignored: Any,
) -> float:
    """The least that keeps `steps`, or `epochs` at this rate, to the target.

    `accountant` and `epsilon_tolerance` are taken and change nothing.
    """
    if not 0 < sample_rate <= 1:
        raise InputError("a sample rate lies between 0 and 1", "sample_rate", "it is batch size over examples")
    if (steps is None) == (epochs is None):
        raise InputError("either steps or epochs say how long it goes on", "steps", "give one of the two")
    count = steps if steps is not None else int((epochs or 0) / sample_rate)
    some_noise = _native.Plan(1, repr(float(sample_rate)), count, "1", 1.0, "flat")
    return some_noise.calibrated_to(target_epsilon, target_delta, []).noise_multiplier
