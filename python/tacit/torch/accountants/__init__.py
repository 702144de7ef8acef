"""What steps cost together.

One accountant serves, whatever the name asked for: that of privacy loss distributions, whose epsilon
is never below the true one and nearly the least that can be proved; and for batches of a fixed size,
of which it has no theorem, that of Rényi divergences. So Opacus' names for several are names of this
one, and give its epsilon.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tacit.errors import InputError
from tacit.torch import _native

if TYPE_CHECKING:
    from tacit.torch.optimizer import PrivateOptimizer

History = list[tuple[str, int]]
"""What one step costs, as the ledger writes it, and how many steps there were."""


@dataclass(frozen=True)
class StepLaw:
    """Steps that are alike. The cost is exact, noise multiplier and rate are for people."""

    cost: str
    steps: int
    noise_multiplier: float
    sample_rate: float
    overflow: str = ""
    """What each costs beside that, where a batch that is too large is left empty."""


def laws_of(plan: _native.Plan | _native.MeansPlan) -> list[StepLaw]:
    """The steps of a plan, in their order."""
    return [StepLaw(*law) for law in plan.laws]


def poisson_steps(noise_multiplier: float, sample_rate: float, steps: int) -> _native.Plan:
    """Steps of which no more is known than these numbers."""
    return _native.Plan(1, repr(float(sample_rate)), int(steps), repr(float(noise_multiplier)), 1.0, "flat")


def history_of(laws: Iterable[StepLaw]) -> History:
    """As the accountant of the engine reads it."""
    laws = list(laws)
    return [
        *((law.cost, law.steps) for law in laws),
        *((law.overflow, law.steps) for law in laws if law.overflow),
    ]


@dataclass
class TakenSteps:
    """Steps of one training: those that it has, and how many of them were taken."""

    laws: list[StepLaw] = field(default_factory=list)
    steps: int = 0
    entries: list[str] = field(default_factory=list)
    """Of the ledger, that paid for them; none where a caller entered them, or they were loaded without."""

    def extend(self, laws: Iterable[StepLaw], entry: str | None = None) -> None:
        """More steps, after those that there are, paid for by `entry` if the ledger knows of them."""
        if entry is not None:
            self.entries.append(entry)
        for law in laws:
            last = self.laws[-1] if self.laws else None
            if last is not None and (last.cost, last.overflow) == (law.cost, law.overflow):
                self.laws[-1] = replace(last, steps=last.steps + law.steps)
            else:
                self.laws.append(law)

    @property
    def taken(self) -> list[StepLaw]:
        """Those that were taken, which are the first."""
        out, left = [], self.steps
        for law in self.laws:
            if left == 0:
                break
            out.append(replace(law, steps=min(law.steps, left)))
            left -= out[-1].steps
        return out


class Accountant:
    """What an engine has done to the data, and what that costs."""

    def __init__(self) -> None:
        self._trainings: dict[str, TakenSteps] = {}
        self._by_hand: TakenSteps | None = None
        """That of the trainings whose steps a caller entered."""

    def begin(self) -> TakenSteps:
        """A place for the steps of a training; whoever takes them keeps their number right."""
        taken = TakenSteps()
        self._trainings[uuid.uuid4().hex] = taken
        return taken

    def did(self, laws: Iterable[StepLaw], entry: str) -> None:
        """Enter steps that were taken, paid for by an entry of the ledger."""
        taken = self.begin()
        taken.extend(laws, entry)
        taken.steps = sum(law.steps for law in taken.laws)

    @property
    def entries(self) -> list[str]:
        """All that paid for what was done, each once. Refuses where some of it has none."""
        did_something = [each for each in self._trainings.values() if each.steps > 0]
        if any(not each.entries for each in did_something):
            raise InputError(
                "a part of what this engine did was entered or loaded without the entries of the ledger that paid for it, "
                "and a certificate would leave it out",
                "certificate",
                "load a checkpoint that names them, as save_checkpoint does; get_epsilon() counts all of it",
            )
        return list(dict.fromkeys(entry for each in did_something for entry in each.entries))

    def step(self, *, noise_multiplier: float, sample_rate: float) -> None:
        """Enter a step that was taken elsewhere, on a Poisson batch of this rate."""
        plan = poisson_steps(noise_multiplier, sample_rate, 1)
        self.check_neighbours(plan.neighbours)
        self._enter(laws_of(plan))

    def get_optimizer_hook_fn(self, sample_rate: float) -> Callable[[PrivateOptimizer], None]:
        """Enters each step of an optimizer that it is attached to (attach_step_hook) as it was taken: its rate
        is known, and `sample_rate` changes nothing. Steps of this accountant's own engine are here already."""

        def enter(optimizer: PrivateOptimizer) -> None:
            taken = optimizer.taken
            if not any(taken is known for known in self._trainings.values()):
                law = taken.taken[-1]
                self.check_neighbours(json.loads(law.cost)["neighbours"])
                self._enter([replace(law, steps=1)])

        return enter

    @property
    def exact_history(self) -> History:
        """What each kind of steps costs, and how many were taken."""
        return history_of(self._taken)

    @property
    def history(self) -> list[tuple[float, float, int]]:
        """Noise multiplier, sample rate and number of steps, for each kind of steps taken."""
        return [(law.noise_multiplier, law.sample_rate, law.steps) for law in self._taken]

    @history.setter
    def history(self, history: Iterable[tuple[float, float, int]]) -> None:
        """Of an accountant to reckon with: what trainings took is not taken back."""
        if any(each is not self._by_hand for each in self._trainings.values()):
            raise InputError(
                "steps that trainings took stay taken",
                "history",
                "give it to an accountant of its own: tacit.torch.accountants.create_accountant('prv')",
            )
        laws = [law for numbers in history for law in laws_of(poisson_steps(*numbers))]
        self._trainings, self._by_hand = {}, None
        self._enter(laws)

    def check_neighbours(self, neighbours: str) -> None:
        """Refuses steps under another relation than those that were taken: they do not add up."""
        for cost, _ in self.exact_history:
            if json.loads(cost)["neighbours"] != neighbours:
                raise InputError(
                    "batches of a fixed size are about one example that is replaced, and all else is about one "
                    "more or less: what they cost does not add up",
                    "poisson_sampling",
                    "begin with another PrivacyEngine",
                )

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
        return len(self._taken)

    def state_dict(self) -> dict[str, Any]:
        """For a checkpoint."""
        return {
            "mechanism": self.mechanism(),
            "history": self.history,
            "trainings": {run: asdict(each) for run, each in self._trainings.items()},
        }

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Add what a checkpoint knows. Steps that were taken stay so: an older checkpoint takes none
        of them back."""
        if "trainings" in state_dict:
            for run, facts in state_dict["trainings"].items():
                laws = [StepLaw(**law) for law in facts["laws"]]
                self._remember(run, TakenSteps(laws, facts["steps"], list(facts.get("entries", []))))
        elif "history" in state_dict:
            for noise, rate, steps in state_dict["history"]:
                laws = laws_of(poisson_steps(noise, rate, steps))
                self._remember(uuid.uuid4().hex, TakenSteps(laws, int(steps)))
        else:
            raise InputError("this is no state of an accountant", "state_dict", "give what state_dict() gave")

    @property
    def _taken(self) -> list[StepLaw]:
        return [law for each in self._trainings.values() for law in each.taken]

    def _enter(self, laws: list[StepLaw]) -> None:
        if self._by_hand is None:
            self._by_hand = self.begin()
        self._by_hand.extend(laws)
        self._by_hand.steps += sum(law.steps for law in laws)

    def _remember(self, run: str, loaded: TakenSteps) -> None:
        known = self._trainings.setdefault(run, loaded)
        if loaded.steps > known.steps:
            known.laws, known.steps, known.entries = loaded.laws, loaded.steps, loaded.entries


IAccountant = Accountant
RDPAccountant = Accountant
PRVAccountant = Accountant
GaussianAccountant = Accountant


def create_accountant(mechanism: str) -> Accountant:
    """The one that there is, for any name of Opacus'."""
    if mechanism not in (known := ("rdp", "gdp", "prv", Accountant.mechanism())):
        raise InputError(f"'{mechanism}' is no accountant", "accountant", f"choose one of {', '.join(known)}")
    return Accountant()


__all__ = [
    "Accountant",
    "GaussianAccountant",
    "History",
    "IAccountant",
    "PRVAccountant",
    "RDPAccountant",
    "StepLaw",
    "TakenSteps",
    "create_accountant",
    "history_of",
    "laws_of",
]
