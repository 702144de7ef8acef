"""Trainings that go on after their process was killed."""

from __future__ import annotations

import io
import os
import time

import torch
from torch import nn

from tacit.torch import _native

_SECONDS = 30.0
"""Between checkpoints: a kill loses at most the training of these."""


class RunCheckpoints:
    """The folder of a run: its name in the ledger, and its model and optimizer as they last were. No
    other process can open it meanwhile."""

    def __init__(self, path: str | os.PathLike[str], model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
        self.folder = _native.RunFolder(os.fspath(path))
        self._model = model
        self._optimizer = optimizer
        self._kept = time.monotonic()

    def restore(self) -> None:
        """Put the last checkpoint, where there is one, into model and optimizer."""
        kept = self.folder.checkpoint
        if kept is None:
            return
        device = next(self._model.parameters()).device
        states = torch.load(io.BytesIO(kept), map_location=device, weights_only=True)
        self._model.load_state_dict(states["model"])
        self._optimizer.load_state_dict(states["optimizer"])

    def keep_now_and_then(self) -> None:
        if time.monotonic() - self._kept > _SECONDS:
            self.keep()

    def keep(self) -> None:
        """Never a key of noise or of sampling: who goes on draws anew."""
        bytes_written = io.BytesIO()
        torch.save({"model": self._model.state_dict(), "optimizer": self._optimizer.state_dict()}, bytes_written)
        self.folder.keep_checkpoint(bytes_written.getvalue())
        self._kept = time.monotonic()

    def close(self) -> None:
        """Let others open it."""
        self.folder.close()
