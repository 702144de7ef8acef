"""Runs that are paid for: whole, or an epoch at a time."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol

from tacit.errors import InputError
from tacit.torch import _native
from tacit.torch.accountants import TakenSteps, laws_of
from tacit.torch.schedules import Schedules


class Runs(Protocol):
    """Where the steps of a training come from, and what the next of them is taken with."""

    taken: TakenSteps
    done: list[_native.Run]
    """All that were begun, the last one under way."""

    def with_a_step_left(self) -> _native.Run: ...
    @property
    def noise_multiplier(self) -> float: ...
    @property
    def max_grad_norm(self) -> float: ...
    @property
    def expected_batch_size(self) -> float: ...
    def check_may_change(self, what: str) -> None: ...
    def change(self, what: str, value: float) -> None: ...


class PaidRun:
    """One run, paid for whole before its first step."""

    def __init__(
        self,
        account: _native.Account,
        begin: Callable[[], _native.Run],
        plan: _native.Plan,
        taken: TakenSteps,
        schedules: Schedules,
    ) -> None:
        self._account = account  # whose ledger counts the steps of a run that outlives its process
        self._begin = begin
        self._plan = plan
        self._schedules = schedules
        self.taken = taken
        self.done: list[_native.Run] = []

    def with_a_step_left(self) -> _native.Run:
        if not self.done:
            run = self._begin()
            self.taken.extend(laws_of(run.plan), run.entry)
            self.taken.steps = run.position
            self.done.append(run)
        return self.done[0]  # which refuses steps beyond the last

    @property
    def noise_multiplier(self) -> float:
        return self._plan.noise_at(self.done[0].position if self.done else 0)

    @property
    def max_grad_norm(self) -> float:
        return self.done[0].bound if self.done else self._plan.bound_at(0)

    @property
    def expected_batch_size(self) -> float:
        return self._plan.expected_batch_size

    def check_may_change(self, what: str) -> None:
        declared = self._schedules.noise if what == "noise" else self._schedules.clip
        if declared is None:
            raise InputError(
                f"all steps of this training are paid for as one, with one {_NAMES[what]}",
                f"scheduler of {what}",
                f"declare it: make_private_with_epsilon(..., {what}_schedule=lambda epoch: 0.99**epoch)",
            )

    def change(self, what: str, value: float) -> None:
        if self.done and self.done[0].steps_left == 0:
            return  # of no step that is left
        now = self.noise_multiplier if what == "noise" else self.max_grad_norm
        if not _same(now, value):
            raise InputError(
                f"the {_NAMES[what]} of the next step is {now:g}, as was declared and paid for, not {value:g}",
                f"scheduler of {what}",
                f"step the scheduler after each epoch, and let it be the declared {what}_schedule",
            )


class RunsByEpochs:
    """A run for each epoch, paid for when its first batch is drawn."""

    def __init__(
        self,
        begin: Callable[[_native.Plan], _native.Run],
        plan: _native.Plan,
        taken: TakenSteps,
        schedules: Schedules,
    ) -> None:
        """`plan` is that of one epoch."""
        self._begin = begin
        self._plan = plan
        self._schedules = schedules
        self.taken = taken
        self.done: list[_native.Run] = []

    def with_a_step_left(self) -> _native.Run:
        if not self._is_under_way:
            plan = self._next_plan
            self.done.append(self._begin(plan))
            self.taken.extend(laws_of(plan), self.done[-1].entry)
        return self.done[-1]

    @property
    def noise_multiplier(self) -> float:
        return self._present_plan.noise_at(0)

    @property
    def max_grad_norm(self) -> float:
        if self._is_under_way or (self.done and self._plan.follows_norms):
            return self.done[-1].bound
        return self._next_plan.bound_at(0)

    @property
    def expected_batch_size(self) -> float:
        return self._present_plan.expected_batch_size

    def check_may_change(self, what: str) -> None:
        """Each epoch is paid for as it is when it begins."""

    def change(self, what: str, value: float) -> None:
        now = self.noise_multiplier if what == "noise" else self.max_grad_norm
        if _same(now, value):
            return
        declared = self._schedules.noise if what == "noise" else self._schedules.clip
        if declared is not None or self._is_under_way:
            raise InputError(
                f"the {_NAMES[what]} of the next step is {now:g}, as was declared or paid for, not {value:g}",
                f"scheduler of {what}",
                "step the scheduler after an epoch, when all its batches were taken",
            )
        if what == "clip" and self._plan.follows_norms:
            raise InputError("the bound follows the norms", "scheduler of clip", 'leave clipping="adaptive" out')
        changed = self._plan.with_noise(repr(value)) if what == "noise" else self._plan.with_bound(value)
        if what == "noise":
            changed.laws  # noqa: B018  refuses what is no noise
        elif not 0 < value < math.inf:
            raise InputError(f"{value:g} is no bound", "scheduler of clip", "a bound is a number above 0")
        self._plan = changed

    @property
    def _is_under_way(self) -> bool:
        return bool(self.done) and self.done[-1].steps_left > 0

    @property
    def _present_plan(self) -> _native.Plan:
        return self.done[-1].plan if self._is_under_way else self._next_plan

    @property
    def _next_plan(self) -> _native.Plan:
        plan = self._plan
        if self.done and plan.follows_norms:
            plan = plan.with_bound(self.done[-1].bound)  # released by then
        return self._schedules.in_epoch(plan, len(self.done))


_NAMES = {"noise": "noise multiplier", "clip": "bound"}


def _same(one: float, other: float) -> bool:
    """As far as floating point lets products be alike."""
    return math.isclose(one, other, rel_tol=1e-6)
