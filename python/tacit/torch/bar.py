"""One line that shows how far a training is."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TextIO

_SECONDS = 1.0
"""Between two drawings, at least."""
_SHARE = 20
"""Drawing takes at most one in as many seconds: losses on public data may be slow."""
_MARKS = (1, 2, 5, *range(10, 101, 10))
"""Percents of the steps after which a line is written where lines cannot be drawn over."""


class Bar:
    """Drawn over itself on a terminal and in a notebook; elsewhere, as in a log, a line now and then."""

    def __init__(self, total: int, done: int, epsilon: Callable[[], float], loss: Callable[[], str]) -> None:
        """`done`: steps that were taken before, by another process."""
        self._total = total
        self._done = done
        self._epsilon = epsilon
        self._loss = loss
        self._out: TextIO = sys.stderr
        self._is_terminal = self._out.isatty()
        # A notebook's output is no terminal, and lets a line be drawn over all the same.
        self._draws_over = self._is_terminal or "ipykernel" in sys.modules
        self._width = 0
        self._pause = _SECONDS
        self._start = self._drawn = time.monotonic()
        self._mark = self._marks_up_to(done)

    def show(self, step: int) -> None:
        now = time.monotonic()
        if step <= self._done or now - self._drawn < self._pause:
            return
        if not self._draws_over and self._marks_up_to(step) == self._mark:
            return
        left = (now - self._start) / (step - self._done) * (self._total - step)
        self._draw(step, f", {left:.0f} s left")
        self._mark = self._marks_up_to(step)
        self._drawn = time.monotonic()
        self._pause = max(_SECONDS, _SHARE * (self._drawn - now))

    def end(self, step: int) -> None:
        self._draw(step, "")
        if self._draws_over:
            self._out.write("\n")

    def _marks_up_to(self, step: int) -> int:
        return sum(100 * step >= mark * self._total for mark in _MARKS)

    def _draw(self, step: int, time_left: str) -> None:
        line = f"step {step}/{self._total}, epsilon {self._epsilon():.3g}{time_left}{self._loss()}"
        if self._is_terminal:
            self._out.write(f"\r\x1b[K{line}")
        elif self._draws_over:
            self._out.write(f"\r{line.ljust(self._width)}")
            self._width = len(line)
        else:
            self._out.write(f"{line}\n")
        self._out.flush()
