"""Trainings that go on after their process was killed."""

from __future__ import annotations

import io
import os
import time
from typing import Any

import torch
from torch import nn

from tacit.errors import InputError
from tacit.torch import _native
from tacit.torch.average import WeightAverage
from tacit.torch.means import LossReadings

_SECONDS = 30.0
"""Between checkpoints: a kill loses at most the training of these."""


class RunCheckpoints:
    """The folder of a run: its name in the ledger, and its model and optimizer (and what goes
    with them: an average of weights, noisy losses, a bound that follows the norms) as they last were. No
    other process can open it meanwhile."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        model: nn.Module,
        optimizer: torch.optim.Optimizer,
        average: WeightAverage | None,
    ) -> None:
        self.folder = _native.RunFolder(os.fspath(path))
        self._model = model
        self._parts: dict[str, Any] = {"model": model, "optimizer": optimizer}
        if average is not None:
            self._parts["average"] = average
        self._run: _native.Run | None = None
        self._readings: LossReadings | None = None
        self._kept = time.monotonic()

    def restore(self, run: _native.Run, readings: LossReadings | None) -> None:
        """Put the last checkpoint, where there is one, into what was begun or goes on."""
        self._run, self._readings = run, readings
        kept = self.folder.checkpoint
        if kept is None:
            return
        device = next(self._model.parameters()).device
        states = torch.load(io.BytesIO(kept), map_location=device, weights_only=True)
        run.restore(states["run"])
        for name, part in self._parts.items():
            if name not in states:
                raise InputError(f"the run was begun without an {name}", "checkpoint", "go on as it was begun")
            part.load_state_dict(states[name])
        if readings is not None:
            readings.told[:] = [(step, loss) for step, loss in states["losses"]]

    def keep_now_and_then(self) -> None:
        if time.monotonic() - self._kept > _SECONDS:
            self.keep()

    def keep(self) -> None:
        """Never a key of noise or of sampling: who goes on draws anew."""
        assert self._run is not None
        states: dict[str, Any] = {name: part.state_dict() for name, part in self._parts.items()}
        states["run"] = self._run.state
        states["losses"] = [] if self._readings is None else self._readings.told
        bytes_written = io.BytesIO()
        torch.save(states, bytes_written)
        self.folder.keep_checkpoint(bytes_written.getvalue())
        self._kept = time.monotonic()

    def close(self) -> None:
        """Let others open it."""
        self.folder.close()
