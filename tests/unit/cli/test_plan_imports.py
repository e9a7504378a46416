"""What a plain plan does not load: the command is often run, and most of its time is imports."""

import subprocess
import sys

import pytest

CODE = """
import sys
from bayplan.cli.main import run
run(["plan", "-f", "examples/workloads/chat-8b.yaml", "--cluster", "examples/clusters/mixed-fleet.yaml"])
print(*sys.modules, file=sys.stderr)
"""
HEAVY = (
    "rich",
    "scipy",
    "numba",
    "numpy.ma",
    "asyncio",
    "bayplan.cli.commit",
    "bayplan.cli.why",
    "bayplan.placement.answers.why",
)


@pytest.fixture(scope="module")
def loaded():
    done = subprocess.run((sys.executable, "-c", CODE), check=True, capture_output=True, text=True)
    assert "chat-8b: fits" in done.stdout
    return set(done.stderr.split())


@pytest.mark.parametrize("name", HEAVY)
def test_a_plain_plan_does_not_load(name, loaded):
    assert name not in loaded
