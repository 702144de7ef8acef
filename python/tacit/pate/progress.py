"""One line on a terminal."""

from __future__ import annotations

import sys
import time
from typing import TextIO


class Progress:
    """Says how far one is, and how long it will take, each second."""

    def __init__(self, what: str, total: int, out: TextIO | None = None) -> None:
        self._what = what
        self._total = total
        self._out = out or sys.stderr
        self._draws = self._out.isatty()
        self._start = self._drawn = time.monotonic()

    def show(self, done: int) -> None:
        """Draw the line, unless it was drawn just now."""
        now = time.monotonic()
        if not self._draws or now - self._drawn < 1:
            return
        self._drawn = now
        left = (now - self._start) / done * (self._total - done)
        self._out.write(f"\r\x1b[K{self._what} {done}/{self._total}, {left:.0f} s left")
        self._out.flush()

    def end(self) -> None:
        """Leave an empty line for what follows."""
        if self._draws:
            self._out.write("\r\x1b[K")
            self._out.flush()
