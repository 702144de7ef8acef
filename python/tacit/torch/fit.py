"""Training in one call."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TextIO

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from tacit.torch.engine import PrivacyEngine
from tacit.torch.steps import BatchMemoryManager

Loss = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


@dataclass(frozen=True)
class Training:
    """What a training came to."""

    epsilon: float
    """Proved for all of it, at `delta`, for one example more or less."""
    delta: float
    steps: int
    noise_multiplier: float
    account: str
    """Who paid: DATASET, DATASET/ANALYST, or an account of its own."""


def fit(
    model: nn.Module,
    dataset: Dataset[Any],
    loss: Loss,
    *,
    optimizer: torch.optim.Optimizer,
    epsilon: float,
    delta: float,
    epochs: int,
    batch_size: int,
    clip: float = 1.0,
    max_physical_batch_size: int = 256,
    public: tuple[torch.Tensor, torch.Tensor] | None = None,
    workspace: str | os.PathLike[str] | None = None,
    account: str | None = None,
) -> Training:
    """Train `model` on pairs (x, y) of `dataset` with (epsilon, delta)-differential privacy.

    loss(model(x), y) is a mean over examples. On a terminal a bar shows the step, the epsilon so far
    and the time left, and the loss on `public` data where some is given: that on private data is
    itself private.
    """
    engine = PrivacyEngine(workspace=workspace, account=account)
    module, stepper, loader = engine.make_private_with_epsilon(
        module=model,
        optimizer=optimizer,
        data_loader=DataLoader(dataset, batch_size=batch_size),
        target_epsilon=epsilon,
        target_delta=delta,
        epochs=epochs,
        max_grad_norm=clip,
    )
    bar = _Bar(engine, delta, epochs * len(loader), lambda: _public_loss(model, loss, public))
    for _ in range(epochs):
        with BatchMemoryManager(
            data_loader=loader, max_physical_batch_size=max_physical_batch_size, optimizer=stepper
        ) as parts:
            for x, y in parts:
                loss(module(x), y).backward()
                stepper.step()
                bar.show()
    bar.end()
    return Training(
        epsilon=engine.get_epsilon(delta),
        delta=delta,
        steps=engine.steps_taken,
        noise_multiplier=engine.noise_multiplier,
        account=engine.account,
    )


def _public_loss(model: nn.Module, loss: Loss, public: tuple[torch.Tensor, torch.Tensor] | None) -> str:
    if public is None:
        return ""
    x, y = public
    was_training = model.training
    model.eval()
    with torch.no_grad():
        value = float(loss(model(x), y))
    model.train(was_training)
    return f", loss on public data {value:.4g}"


class _Bar:
    """One line on a terminal, drawn anew each second."""

    def __init__(
        self,
        engine: PrivacyEngine,
        delta: float,
        total: int,
        public_loss: Callable[[], str],
        out: TextIO | None = None,
    ) -> None:
        self._engine = engine
        self._delta = delta
        self._total = total
        self._public_loss = public_loss
        self._out = out or sys.stderr
        self._draws = self._out.isatty()
        self._start = self._drawn = time.monotonic()

    def show(self) -> None:
        now = time.monotonic()
        if not self._draws or now - self._drawn < 1:
            return
        self._drawn = now
        taken = self._engine.steps_taken
        left = (now - self._start) / taken * (self._total - taken)
        self._draw(f", {left:.0f} s left")

    def end(self) -> None:
        if self._draws:
            self._draw("")
            self._out.write("\n")

    def _draw(self, time_left: str) -> None:
        taken, epsilon = self._engine.steps_taken, self._engine.get_epsilon(self._delta)
        line = f"step {taken}/{self._total}, epsilon {epsilon:.3g}{time_left}{self._public_loss()}"
        self._out.write(f"\r\x1b[K{line}")
        self._out.flush()
