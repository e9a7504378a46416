"""Clients that others wrote do what their users do, each in an environment of its own."""

import json
import subprocess
from pathlib import Path

import pytest

from bayplan_up import RunningServer
from clients.environment import LONGEST_S, environment, plain_environment

PROGRAMS = Path(__file__).with_name("programs")
COMMON = ("pods", "nodes", "deployments", "agent pools", "a watch that is resumed", "refusals")
CLIENTS = {"kubernetes": ("official.py", COMMON), "lightkube": ("light.py", (*COMMON, "server-side apply"))}
CASES = [(package, scenario) for package, (_, scenarios) in CLIENTS.items() for scenario in scenarios]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """What came of every scenario of a client; each client runs once, with a server of its own."""
    found = {}

    def of(package):
        if package not in found:
            python = environment(package)
            with RunningServer(tmp_path_factory.mktemp(package)) as server:
                done = subprocess.run(
                    [str(python), str(PROGRAMS / CLIENTS[package][0]), str(server.data / "kubeconfig")],
                    capture_output=True, text=True, timeout=LONGEST_S, check=False, env=plain_environment(),
                )  # fmt: skip
            assert done.returncode == 0, done.stderr
            found[package] = json.loads(done.stdout)
        return found[package]

    return of


@pytest.mark.parametrize(("package", "scenario"), CASES, ids=[" ".join(case) for case in CASES])
def test_a_client_works(outcomes, package, scenario):
    problem = outcomes(package)[scenario]

    assert problem == "", problem


@pytest.mark.parametrize("package", CLIENTS)
def test_no_scenario_is_forgotten(outcomes, package):
    assert set(outcomes(package)) == set(CLIENTS[package][1])
