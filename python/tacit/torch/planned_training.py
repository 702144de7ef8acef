"""A training that was checked and is not yet paid for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import nn
from torch.utils.data import DataLoader

from tacit.torch import _native
from tacit.torch.checks import check_module, plan_of, trained_parameters
from tacit.torch.data_loader import PrivateLoader
from tacit.torch.module import PrivateModule
from tacit.torch.optimizer import PrivateOptimizer
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
    plan: _native.Plan

    @classmethod
    def of(
        cls,
        loop: Loop,
        losses: Losses,
        *,
        epochs: int,
        noise_multiplier: str,
        max_grad_norm: float | Sequence[float],
        clipping: str,
    ) -> PlannedTraining:
        """Refuses, by name, what cannot be private or has no meaning."""
        check_module(loop.module)
        parameters = trained_parameters(loop.module, loop.optimizer)
        plan = plan_of(
            loop.loader,
            epochs=epochs,
            noise_multiplier=noise_multiplier,
            max_grad_norm=max_grad_norm,
            clipping=clipping,
            parameters=len(parameters),
        )
        plan.check(parameters)
        return cls(loop, losses, parameters, plan)

    def calibrated_to(self, epsilon: float, delta: float, before: list[tuple[str, str, int]]) -> PlannedTraining:
        """With the least noise that keeps it and what was done before to the target."""
        plan = self.plan.calibrated_to(epsilon, delta, before)
        plan.check(self.parameters)
        return replace(self, plan=plan)

    @property
    def law(self) -> tuple[str, str, int]:
        """As an accountant has it."""
        return (*self.plan.law, self.plan.steps)

    @property
    def note(self) -> str:
        """What the ledger says of it."""
        return f"private training of a {type(self.loop.module).__name__}"
