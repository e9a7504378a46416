"""Kill a writing process again and again, at random moments and at every failpoint, and judge what is left."""

import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from bayplan.control.failpoints import VARIABLE
from crash.oracle import Oracle

WRITER = Path(__file__).parent / "writer.py"
SOURCES = Path(__file__).parents[2] / "src"
WRITING = (
    "store-queued",
    "store-begun",
    "store-checked",
    "store-written",
    "store-committed",
    "store-published",
    "store-answered",
    "store-compacting",
    "store-compacted",
)
"""The failpoints that a writing process passes."""

ROUNDS_A_FOLDER = 20  # kills that one database survives before the next begins
LONG, SHORT = 1_000_000, 40  # changes kept: all, and so few that compactions are frequent


@dataclass(frozen=True)
class Kill:
    """When the process dies: at a failpoint, or some time after its first answer."""

    failpoint: str = ""
    passes: int = 1
    after_s: float = 0.0

    def __str__(self):
        return f"{self.failpoint}:{self.passes}" if self.failpoint else f"{self.after_s:.3f} s after the first answer"


def kill_of(number, chance):
    """Every other kill is at a failpoint, in turn."""
    if number % 2:
        return Kill(after_s=chance.expovariate(10))
    name = WRITING[number // 2 % len(WRITING)]
    return Kill(name, chance.randint(1, 3 if "compact" in name else 30))


def run_and_kill(folder, notes, name, seed, history, kill):
    """One process from its start to its death."""
    notes.touch()
    words = [sys.executable, WRITER, folder, notes, name, str(seed), str(history)]
    env = {**os.environ, "PYTHONPATH": str(SOURCES)}
    if kill.failpoint:
        env[VARIABLE] = f"{kill.failpoint}:{kill.passes}"
    with subprocess.Popen(words, env=env, stderr=subprocess.PIPE, text=True) as process:
        if not kill.failpoint:
            while process.poll() is None and b"revision" not in notes.read_bytes():
                time.sleep(0.005)
            time.sleep(kill.after_s)
            process.kill()
        _, errors = process.communicate(timeout=60)
    if process.returncode != -signal.SIGKILL:
        raise AssertionError(f"{kill}: the writer ended by itself with {process.returncode}: {errors}")


def crash(folder, kills, seed, tell=lambda _: None):
    """That many kills; what was wrong after them, and how many writes were answered."""
    chance = random.Random(seed)  # noqa: S311
    wrong, answered = [], 0
    oracle = None
    for number in range(kills):
        if number % ROUNDS_A_FOLDER == 0:
            oracle = Oracle(folder / f"data{number}")
        kill = kill_of(number, chance)
        history = SHORT if "compact" in kill.failpoint else LONG
        notes = folder / f"notes{number}"
        run_and_kill(oracle.folder, notes, f"r{number}", chance.getrandbits(32), history, kill)
        before = oracle.answered
        wrong += [f"kill {number} ({kill}): {each}" for each in oracle.judge(notes, history)]
        answered += oracle.answered - before
        tell(f"kill {number + 1} of {kills} at {kill}: {oracle.answered - before} answers, {len(wrong)} wrong")
    return wrong, answered
