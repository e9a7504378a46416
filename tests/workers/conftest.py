import os
import subprocess
from pathlib import Path

import pytest

from workers.machines import Machines


@pytest.fixture
def machines(tmp_path):
    """A server of the test's own, and workers that it starts."""
    started = Machines(tmp_path)
    yield started
    started.close()


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A server with one worker called `w`, for tests that only add Pods of their own."""
    started = Machines(tmp_path_factory.mktemp("shared"))
    started.worker("w")
    yield started
    started.close()


@pytest.fixture(scope="session")
def kubectl_binary():
    """The path of a kubectl; without one the test is skipped, but never in CI."""
    finder = Path(__file__).parents[2] / ".ci" / "kubectl"
    found = subprocess.run([finder, "--find"], capture_output=True, text=True, check=False)
    if found.returncode:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"{found.stderr.strip()}; run `make kubectl`")
    return found.stdout.strip()
