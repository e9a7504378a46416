import os
import subprocess
from pathlib import Path
from shutil import which

import pytest

ROOT = Path(__file__).parents[2]
TARGETS = (
    "up",
    "demo",
    "test",
    "check",
    "bench",
    "acceptance",
    "crash",
    "machine",
    "docs",
    "clean",
    "help",
    "mutation",
    "kubectl",
    "mlserver",
)

MAKE = which("make")
pytestmark = pytest.mark.skipif(MAKE is None, reason="needs make")


def _make(*words):
    """What a shell would see, also when these tests were themselves started by make."""
    own = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "MAKEOVERRIDES", "ARGS", "ONLY", "DATA", "OUT", "N", "SEED")
    env = {name: value for name, value in os.environ.items() if name not in own}
    return subprocess.run([MAKE, "-C", ROOT, "-s", *words], env=env, capture_output=True, text=True, check=False)


def test_help_lists_every_target_with_a_line():
    lines = [line.split(maxsplit=2) for line in _make("help").stdout.splitlines()]

    assert {target for _, target, _ in lines} == set(TARGETS)


FLAGS = {
    "bench, all":    (["bench"], ".venv/bin/python -m bench"),
    "bench, some":   (["bench", "ONLY=framework", "OUT=x"], ".venv/bin/python -m bench --only framework --out x"),
    "bench, data":   (["bench", "ONLY=packing", "DATA=d"], ".venv/bin/python -m bench --only packing --data d"),
    "up":            (["up", "ARGS=--port 0"], ".venv/bin/bayplan up --demo --port 0"),
    "demo":          (["demo"], ".venv/bin/bayplan demo"),
    "crash":         (["crash"], "PYTHONPATH=tests .venv/bin/python -m crash --kills 200"),
    "crash, few":    (["crash", "N=3", "SEED=7"], "PYTHONPATH=tests .venv/bin/python -m crash --kills 3 --seed 7"),
    "docs":          (["docs"], ".venv/bin/python docs/generate.py"),
}  # fmt: skip


@pytest.mark.parametrize(("words", "command"), FLAGS.values(), ids=FLAGS)
def test_variables_become_flags(words, command):
    shown = [" ".join(line.split()) for line in _make("-n", *words).stdout.splitlines()]

    assert shown[-1] == command
