"""What steps cost together.

One accountant serves, whatever the name asked for: that of privacy loss distributions, whose epsilon
is never below the true one and nearly the least that can be proved.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from tacit.errors import InputError
from tacit.torch import _native


@dataclass
class TakenSteps:
    """Steps of one kind: Gaussian noise on a Poisson sample. Numbers are exact, as texts."""

    noise_multiplier: str
    sample_rate: str
    steps: int = 0


class Accountant:
    """What an engine has done to the data, and what that costs."""

    def __init__(self) -> None:
        self._taken: dict[str, TakenSteps] = {}

    def begin(self, noise_multiplier: str, sample_rate: str) -> TakenSteps:
        """An entry for steps of one kind, whose number whoever takes them keeps right."""
        entry = TakenSteps(noise_multiplier, sample_rate)
        self._taken[uuid.uuid4().hex] = entry
        return entry

    @property
    def exact_history(self) -> list[tuple[str, str, int]]:
        """Noise multiplier, sample rate and number of steps, for each kind of steps taken."""
        return [(each.noise_multiplier, each.sample_rate, each.steps) for each in self._taken.values() if each.steps]

    @property
    def history(self) -> list[tuple[float, float, int]]:
        """The same in floating point."""
        return [(_number(noise), _number(rate), steps) for noise, rate, steps in self.exact_history]

    def get_epsilon(self, delta: float, **ignored: Any) -> float:
        """Holds for all steps together, at `delta`. What other accountants are tuned by is taken and
        changes nothing."""
        return _native.epsilon(self.exact_history, delta)

    def get_privacy_spent(self, *, delta: float, **ignored: Any) -> tuple[float, float]:
        """Epsilon, and in the place of the order that a Rényi accountant would name, no number."""
        return self.get_epsilon(delta), float("nan")

    @classmethod
    def mechanism(cls) -> str:
        """What it adds up by: privacy loss distributions."""
        return "pld"

    def __len__(self) -> int:
        return len(self.exact_history)

    def state_dict(self) -> dict[str, Any]:
        """For a checkpoint."""
        return {
            "mechanism": self.mechanism(),
            "history": self.history,
            "taken": {run: asdict(each) for run, each in self._taken.items()},
        }

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Add what a checkpoint knows. Steps that were taken stay so: an older checkpoint takes none
        of them back."""
        if "taken" in state_dict:
            for run, facts in state_dict["taken"].items():
                self._remember(run, TakenSteps(**facts))
        elif "history" in state_dict:
            for noise, rate, steps in state_dict["history"]:
                self._remember(uuid.uuid4().hex, TakenSteps(repr(float(noise)), repr(float(rate)), int(steps)))
        else:
            raise InputError("this is no state of an accountant", "state_dict", "give what state_dict() gave")

    def _remember(self, run: str, loaded: TakenSteps) -> None:
        known = self._taken.setdefault(run, loaded)
        known.steps = max(known.steps, loaded.steps)


def _number(text: str) -> float:
    numerator, _, denominator = text.partition("/")
    return float(numerator) / float(denominator or 1)
