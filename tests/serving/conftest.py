import os
import subprocess
from pathlib import Path

import pytest

from bayplan.framework.errors import InputError
from bayplan.runtimes.servers.mlserver_installation import find_mlserver
from clients.environment import plain_environment
from serving.running_models import Models

NAMES = ("iris", "income", "wine")
TRAIN = Path(__file__).parents[1] / "mlserver" / "train.py"


@pytest.fixture(scope="session")
def mlserver():
    """The Python of MLServer's environment; without one the test is skipped, but never in CI."""
    try:
        return find_mlserver().with_name("python")
    except InputError as error:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(str(error))


@pytest.fixture
def simulated(tmp_path):
    """A server and a worker whose model servers load and answer without a model."""
    started = Models(tmp_path, "simulated")
    for name in NAMES:
        (started.files / name).mkdir(parents=True)
    yield from _run(started)


@pytest.fixture
def real(tmp_path, mlserver):
    """The same with MLServer, and models of scikit-learn that were trained for this."""
    started = Models(tmp_path, "mlserver")
    words = [word for name in NAMES for word in (str(started.files / name), "iris")]
    subprocess.run([str(mlserver), str(TRAIN), *words], check=True, timeout=120, env=plain_environment())
    yield from _run(started)


def _run(started):
    try:
        started.worker("w")
        started.start_relay()
        yield started
    finally:
        started.close()
