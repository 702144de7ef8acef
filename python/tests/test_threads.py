"""The interpreter stays alive while an engine works."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from conftest import run

import tacit

# Each of these people pairs all visits with all: the engine is busy for many seconds.
SLOW = "SELECT count(*) AS n FROM visits AS a JOIN visits AS b ON a.person = b.person"


@pytest.fixture
def crowded(tmp_path: Path) -> tacit.Workspace:
    with (tmp_path / "visits.csv").open("w") as file:
        file.write("person,hour\n" + "1,9\n" * 100_000)
    made = run(
        "init", tmp_path, "--dataset", "clinic", "--neighbours", "add_remove", "--epsilon", "9",
        "--table", f"visits={tmp_path / 'visits.csv'}", "--unit", "visits=person",
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    return tacit.open(tmp_path)


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Python leaves Ctrl-C ignored where it was started so, as jobs in the background are."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_cancels_and_others_run_meanwhile(crowded: tacit.Workspace) -> None:
    ticks = 0
    ended = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not ended.wait(0.01):
            ticks += 1

    ticker = threading.Thread(target=tick)
    interrupt = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    ticker.start()
    interrupt.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        crowded.query(SLOW, epsilon=1, max_rows=4)
    took = time.monotonic() - start
    ended.set()
    ticker.join()
    assert took < 30, "the engine was not cancelled"
    assert ticks > 10, "the interpreter stood still"
    # What was charged stays so, and the workspace goes on.
    assert crowded.budget().spent["epsilon"] == 1
    assert crowded.query("SELECT count(*) AS n FROM visits", epsilon=1, max_rows=4).cost["epsilon"] == 1


def test_threads_share_a_workspace(clinic: tacit.Workspace) -> None:
    questions = [f"SELECT count(*) AS n FROM visits WHERE minutes > {i}" for i in range(10, 18)]
    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(lambda sql: clinic.query(sql, epsilon=1, max_rows=4), questions))
    assert all(not answer.on_record for answer in answers)
    assert len({answer.entry for answer in answers}) == len(questions)
