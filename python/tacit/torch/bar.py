"""One line on a terminal that shows how far a training is."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TextIO


class Bar:
    """Drawn anew each second; nothing where standard error is no terminal."""

    def __init__(self, total: int, epsilon: Callable[[], float], loss: Callable[[], str]) -> None:
        self._total = total
        self._epsilon = epsilon
        self._loss = loss
        self._out: TextIO = sys.stderr
        self._draws = self._out.isatty()
        self._start = self._drawn = time.monotonic()

    def show(self, step: int) -> None:
        now = time.monotonic()
        if not self._draws or step == 0 or now - self._drawn < 1:
            return
        self._drawn = now
        left = (now - self._start) / step * (self._total - step)
        self._draw(step, f", {left:.0f} s left")

    def end(self, step: int) -> None:
        if self._draws:
            self._draw(step, "")
            self._out.write("\n")

    def _draw(self, step: int, time_left: str) -> None:
        line = f"step {step}/{self._total}, epsilon {self._epsilon():.3g}{time_left}{self._loss()}"
        self._out.write(f"\r\x1b[K{line}")
        self._out.flush()
