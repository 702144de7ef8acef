"""A training that was checked and is not yet paid for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import nn
from torch.utils.data import DataLoader

from tacit.errors import InputError
from tacit.torch import _native
from tacit.torch.accountants import History, history_of, laws_of
from tacit.torch.checks import (
    check_module,
    check_overflow,
    check_target,
    in_mixed_precision,
    plan_of_epoch,
    trained_parameters,
)
from tacit.torch.data_loader import PrivateLoader
from tacit.torch.module import PrivateModule
from tacit.torch.optimizer import PrivateOptimizer
from tacit.torch.options import PlanOptions
from tacit.torch.schedules import Schedules
from tacit.torch.steps import Losses


@dataclass(frozen=True)
class Loop:
    """What a loop is made of, as it was before."""

    module: nn.Module
    optimizer: torch.optim.Optimizer
    loader: DataLoader[Any]

    @classmethod
    def of(cls, module: nn.Module, optimizer: torch.optim.Optimizer, loader: Any) -> Loop:
        """Things that were made private before are made so anew."""
        return cls(
            module.to_standard_module() if isinstance(module, PrivateModule) else module,
            optimizer.original_optimizer if isinstance(optimizer, PrivateOptimizer) else optimizer,
            loader.original_loader if isinstance(loader, PrivateLoader) else loader,
        )


@dataclass(frozen=True)
class PlannedTraining:
    """A loop, and all that decides its privacy."""

    loop: Loop
    losses: Losses
    parameters: list[torch.Tensor]
    of_epoch: _native.Plan
    schedules: Schedules
    plan: _native.Plan
    """Of all epochs."""

    @classmethod
    def of(
        cls,
        loop: Loop,
        losses: Losses,
        *,
        epochs: int,
        delta: float,
        noise_multiplier: str,
        max_grad_norm: float | Sequence[float],
        options: PlanOptions,
    ) -> PlannedTraining:
        """Refuses, by name, what cannot be private or has no meaning."""
        check_module(loop.module)
        if epochs < 1:
            raise InputError("there must be at least one epoch", "epochs")
        parameters = trained_parameters(loop.module, loop.optimizer)
        of_epoch = plan_of_epoch(
            loop.loader,
            noise_multiplier=noise_multiplier,
            max_grad_norm=max_grad_norm,
            parameters=len(parameters),
            options=options,
        )
        schedules = Schedules.of(options)
        of_epoch = in_mixed_precision(of_epoch, schedules.over(of_epoch, epochs), delta, options)
        plan = schedules.over(of_epoch, epochs)
        plan.check(parameters)
        check_overflow(plan, delta)
        return cls(loop, losses, parameters, of_epoch, schedules, plan)

    def calibrated_to(self, epsilon: float, delta: float, before: History) -> PlannedTraining:
        """With the least noise that keeps it and what was done before to the target."""
        check_target(epsilon, delta, self.plan.examples)
        plan = self.plan.calibrated_to(epsilon, delta, before)
        try:
            plan.check(self.parameters)
        except InputError as refused:
            raise InputError(
                f"epsilon {epsilon:g} would take a noise multiplier of {plan.noise_multiplier:g}: {refused.what}",
                "target epsilon",
                "take another epsilon, other epochs or another batch size",
            ) from refused
        return replace(self, plan=plan, of_epoch=self.of_epoch.with_noise(plan.noise_text))

    @property
    def history(self) -> History:
        """Of all its steps, as an accountant has it."""
        return history_of(laws_of(self.plan))

    @property
    def facts(self) -> list[tuple[str, str]]:
        """What a certificate says of it beside what is proved."""
        return [
            ("model", type(self.loop.module).__name__),
            ("parameters", str(sum(parameter.numel() for parameter in self.parameters))),
            ("optimizer", type(self.loop.optimizer).__name__),
        ]

    @property
    def note(self) -> str:
        """What the ledger says of it."""
        return f"private training of a {type(self.loop.module).__name__}"
