import os
import subprocess
from pathlib import Path

import pytest

from bayplan.framework.errors import InputError
from bayplan.runtimes.servers.mlserver_installation import find_mlserver
from bayplan_up import environment
from workers.machines import Machines


@pytest.fixture(scope="session")
def mlserver():
    """The program; without it the test is skipped, but never in CI."""
    try:
        return find_mlserver()
    except InputError as error:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(str(error))


@pytest.fixture(scope="session")
def models(mlserver, tmp_path_factory):
    """Folders of trained models by name: `iris` tells irises apart, `most-frequent` always answers 2."""
    folder = tmp_path_factory.mktemp("models")
    kinds = ("iris", "most-frequent")
    words = [word for kind in kinds for word in (str(folder / kind), kind)]
    train = Path(__file__).with_name("train.py")
    subprocess.run([mlserver.parent / "python", train, *words], check=True, capture_output=True, env=environment())
    return {kind: folder / kind for kind in kinds}


@pytest.fixture(scope="module")
def machines(tmp_path_factory):
    started = Machines(tmp_path_factory.mktemp("mlserver"))
    started.worker("w")
    yield started
    started.close()
