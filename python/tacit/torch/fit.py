"""Training in one call."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Unpack

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from tacit.errors import InputError
from tacit.torch import _native
from tacit.torch.accountants import history_of, laws_of
from tacit.torch.average import WeightAverage
from tacit.torch.bar import Bar
from tacit.torch.checkpoints import RunCheckpoints
from tacit.torch.data_loader import BatchMemoryManager, ExampleReader
from tacit.torch.engine import PrivacyEngine
from tacit.torch.means import LossReadings, NoisyLoss
from tacit.torch.mixing import Loss
from tacit.torch.options import PlanOptions, check_names
from tacit.torch.planned_training import Loop, PlannedTraining
from tacit.torch.rehearsal import in_half_precision, rehearse
from tacit.torch.steps import Losses

@dataclass(frozen=True)
class Training:
    """What a training came to."""

    epsilon: float
    """Proved for all that the engine did, at `delta`, for one example more or less, where noise and steps
    were not chosen by looking at what was released."""
    delta: float
    steps: int
    noise_multiplier: float
    account: str
    """Who paid: DATASET, DATASET/ANALYST, or an account of its own."""
    certificate: dict[str, Any]
    """What was proved, as docs/certificate.md has it. It says nothing of examples."""
    losses: list[tuple[int, float]] = field(default_factory=list)
    """Steps, and the noisy loss after each, where one was asked for."""


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
    weight_average: float | None = None,
    max_physical_batch_size: int = 256,
    num_workers: int = 0,
    public: tuple[torch.Tensor, torch.Tensor] | None = None,
    noisy_loss: NoisyLoss | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    engine: PrivacyEngine | None = None,
    workspace: str | os.PathLike[str] | None = None,
    account: str | None = None,
    **options: Unpack[PlanOptions],
) -> Training:
    """Train `model` on pairs (x, y) of `dataset` with (epsilon, delta)-differential privacy.

    loss(model(x), y) is a mean over examples. A line shows the step, the epsilon so far and the time
    left (on a terminal and in a notebook each second, in a log now and then), and a loss that may be shown: that on `public` data, or a noisy one on private
    data, for which the target pays too. Before anything is charged, a step is tried on rows that are
    made up, as many as `max_physical_batch_size`, and the loss on public data. An `engine` given keeps all that it did, and this,
    to the target, and pays.

    weight_average: the decay of an average of the weights over the steps, such as 0.999, which the
    model then has in the end. options: other batches, ways to clip, and schedules, as
    tacit.torch.options has them (clipping="adaptive", poisson_sampling=False, noise_schedule=...); with
    mixed_precision=True the model runs under autocast in bfloat16.

    checkpoint: a folder that keeps model and optimizer every half minute. The same call again goes on
    from there with what steps are left, also after a kill; those that were lost stay spent.
    """
    check_names(options, PlanOptions, "fit")
    if engine is not None and workspace is not None:
        raise InputError("the engine knows its workspace", "workspace", "give one of the two")
    engine = engine or PrivacyEngine(workspace=workspace, account=account)
    loader = DataLoader(dataset, batch_size=batch_size, num_workers=num_workers)
    some_noise = PlannedTraining.of(
        Loop(model, optimizer, loader),
        Losses(),
        epochs=epochs,
        delta=delta,
        noise_multiplier="1",
        max_grad_norm=clip,
        options=options,
    )
    engine.accountant.check_neighbours(some_noise.plan.neighbours)
    average = None if weight_average is None else WeightAverage(model, weight_average)
    also = [] if noisy_loss is None else history_of(laws_of(noisy_loss.plan(some_noise.plan)))
    size = min(max_physical_batch_size, len(dataset))  # type: ignore[arg-type]
    rehearse(model, loss, loader, some_noise.plan, size)
    reader = _LossReader(model, loss, loader, size)
    if public is not None:
        _try_public(reader, public)
    training = some_noise.calibrated_to(epsilon, delta, [*engine.accountant.exact_history, *also])
    kept = None if checkpoint is None else RunCheckpoints(checkpoint, model, optimizer, average)
    try:
        name = None if kept is None else f"run-{kept.folder.id}"
        payer = engine.payer.open([*training.history, *also], delta, name)
        losses = _run(engine, training, payer, reader, delta, size, public, noisy_loss, kept, average)
    finally:
        if kept is not None:
            kept.close()
    return Training(
        epsilon=engine.get_epsilon(delta),
        delta=delta,
        steps=engine.steps_taken,
        noise_multiplier=engine.noise_multiplier,
        account=engine.account,
        certificate=engine.certificate(),
        losses=losses,
    )


def _run(
    engine: PrivacyEngine,
    training: PlannedTraining,
    payer: _native.Account,
    reader: _LossReader,
    delta: float,
    size: int,
    public: tuple[torch.Tensor, torch.Tensor] | None,
    noisy_loss: NoisyLoss | None,
    kept: RunCheckpoints | None,
    average: WeightAverage | None,
) -> list[tuple[int, float]]:
    """All steps that are left; the noisy losses that were told."""
    folder = None if kept is None else kept.folder
    (module, optimizer, batches), readings = engine.begin(
        training, payer, delta, folder=folder, noisy_loss=noisy_loss
    )
    if kept is not None:
        kept.restore(engine.run, readings)
    if average is not None:
        optimizer.attach_after_step(average.update)
    steps = training.plan.steps
    bar = Bar(
        steps, engine.steps_taken, lambda: engine.get_epsilon(delta), lambda: _shown_loss(reader, public, readings)
    )

    def after_step() -> None:
        if readings is not None:
            readings.tell_what_is_due(engine.steps_taken, reader.at)
        if kept is not None:
            kept.keep_now_and_then()
        bar.show(engine.steps_taken)

    # Of empty batches too: which steps have one is private.
    optimizer.attach_after_step(after_step)
    with BatchMemoryManager(data_loader=batches, max_physical_batch_size=size, optimizer=optimizer) as parts:
        for x, y in parts.batches(steps - engine.steps_taken):
            with in_half_precision(reader.device, training.plan):
                value = reader.loss(module(x.to(reader.device)), y.to(reader.device))
            value.backward()
            optimizer.step()
    if readings is not None:
        readings.tell_what_is_due(engine.steps_taken, reader.at)  # that steps lost with a process left behind
    if kept is not None:
        kept.keep()
    bar.end(engine.steps_taken)
    if average is not None:
        average.swap()
    return [] if readings is None else readings.told


class _LossReader:
    """Losses of the model as it is used, not as it trains."""

    def __init__(self, model: nn.Module, loss: Loss, loader: DataLoader[Any], size: int) -> None:
        self._model = model
        self.loss = loss
        self._reader = ExampleReader(loader)
        self._size = size
        self.device = next(model.parameters()).device

    def at(self, places: list[int]) -> torch.Tensor:
        """Of each private example by itself."""
        parts = [places[start : start + self._size] for start in range(0, len(places), self._size)]
        return torch.cat([self._of_each(x, y) for x, y in self._reader.read(parts)])

    def mean(self, x: torch.Tensor, y: torch.Tensor) -> float:
        """Of examples that are public."""
        parts = zip(x.split(self._size), y.split(self._size), strict=True)
        with self._in_use():
            means = [float(self.loss(*self._outputs(*part))) * len(part[0]) for part in parts]
        return sum(means) / len(x)

    def _of_each(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        with self._in_use():
            outputs, y = self._outputs(x, y)
            losses = [self.loss(outputs[i : i + 1], y[i : i + 1]) for i in range(len(outputs))]
        return torch.stack(losses).double().cpu()

    def _outputs(self, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return self._model(x.to(self.device)), y.to(self.device)

    @contextmanager
    def _in_use(self) -> Iterator[None]:
        # Each layer goes back to its own mode: a pretrained BatchNorm may stay in eval mode while others train.
        modes = [(module, module.training) for module in self._model.modules()]
        self._model.eval()
        try:
            with torch.no_grad():
                yield
        finally:
            for module, is_training in modes:
                module.training = is_training


def _try_public(reader: _LossReader, public: tuple[torch.Tensor, torch.Tensor]) -> None:
    """Refuses what would fail while the training goes on, after it was charged."""
    x, y = public
    if len(x) == 0 or len(x) != len(y):
        raise InputError(f"there are {len(x)} inputs and {len(y)} labels", "public", "give some, as many of each")
    try:
        reader.mean(x, y)
    except Exception as failure:
        raise InputError(
            f"the loss on public data fails: {type(failure).__name__}: {failure}",
            "public",
            "give inputs and labels as those of the dataset",
        ) from failure


def _shown_loss(
    reader: _LossReader, public: tuple[torch.Tensor, torch.Tensor] | None, readings: LossReadings | None
) -> str:
    text = ""
    if readings is not None and readings.told:
        text += f", noisy loss {readings.told[-1][1]:.4g} ± {2 * readings.asked.deviation:.2g}"
    if public is not None:
        text += f", loss on public data {reader.mean(*public):.4g}"
    return text
