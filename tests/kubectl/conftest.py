"""One server for all tests of a process; each test gets a namespace of its own."""

import itertools
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from bayplan_up import RunningServer
from kubectl.client import Kubectl

_numbers = itertools.count(1)
_FINDER = Path(__file__).parents[2] / ".ci" / "kubectl"


@pytest.fixture(scope="session")
def binary() -> str:
    """The path of a kubectl that is new enough; without one the tests are skipped, but never in CI."""
    found = subprocess.run([_FINDER, "--find"], capture_output=True, text=True, check=False)
    if found.returncode:
        message = f"{found.stderr.strip()}; run `make kubectl`"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(message)
    return found.stdout.strip()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with RunningServer(tmp_path_factory.mktemp("server") / "data") as running:
        yield running
        assert "Traceback" not in running.errors()


@pytest.fixture(scope="session")
def administrator(binary: str, server: RunningServer, tmp_path_factory: pytest.TempPathFactory) -> Kubectl:
    return Kubectl(binary, server.kubeconfig, tmp_path_factory.mktemp("home"))


@pytest.fixture
def kubectl(administrator: Kubectl, server: RunningServer, request: pytest.FixtureRequest) -> Kubectl:
    """kubectl in a namespace that is called after the test."""
    words = re.sub("[^a-z0-9]+", "-", request.node.name.lower())[:50].strip("-")
    name = f"{words}-{next(_numbers)}"
    document = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    status, body = server.request("POST", "/api/v1/namespaces", document)
    assert status == 201, body
    return administrator.within(name)
