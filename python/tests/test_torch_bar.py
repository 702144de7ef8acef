"""The line that shows how far a training is."""

from __future__ import annotations

import io
import sys
from types import ModuleType

import pytest

from tacit.torch.bar import Bar


class Clock:
    """Time that passes when it is told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr("tacit.torch.bar.time.monotonic", lambda: self.now)


def shown(clock: Clock, monkeypatch: pytest.MonkeyPatch, done: int = 0, loss_takes: float = 0.0) -> str:
    """Of 1,000 steps, each of which takes 2 seconds."""
    out = io.StringIO()
    monkeypatch.setattr(sys, "stderr", out)

    def loss() -> str:
        clock.now += loss_takes
        return ", a loss"

    bar = Bar(1000, done, lambda: 1.5, loss)
    for step in range(done + 1, 1001):
        clock.now += 2.0
        bar.show(step)
    bar.end(1000)
    return out.getvalue()


def test_a_log_gets_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    lines = shown(Clock(monkeypatch), monkeypatch).splitlines()
    assert lines[0] == "step 10/1000, epsilon 1.5, 1980 s left, a loss"
    steps = [line.split("/")[0] for line in lines]
    assert steps == [f"step {step}" for step in (10, 20, 50, *range(100, 1001, 100), 1000)]
    assert lines[-1] == "step 1000/1000, epsilon 1.5, a loss" and "\r" not in "".join(lines)


def test_a_notebook_draws_over_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ipykernel", ModuleType("ipykernel"))
    text = shown(Clock(monkeypatch), monkeypatch)
    assert text.count("\r") == 1001 and text.count("\n") == 1 and "\x1b" not in text


def test_time_left_counts_from_the_first_step_of_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    lines = shown(Clock(monkeypatch), monkeypatch, done=899).splitlines()
    assert lines[0] == "step 900/1000, epsilon 1.5, 200 s left, a loss" and len(lines) == 3


def test_a_slow_loss_takes_a_small_share_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ipykernel", ModuleType("ipykernel"))
    clock = Clock(monkeypatch)
    drawn = shown(clock, monkeypatch, loss_takes=5.0).count("\r")
    assert 10 < drawn < 25 and 5 * drawn < clock.now / 15
