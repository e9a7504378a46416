"""Requests that schemathesis makes from the server's own OpenAPI: none may end in a 5xx."""

import os
import subprocess
from pathlib import Path

import pytest

from bayplan_up import RunningServer
from clients.environment import LONGEST_S, environment, plain_environment

HOOKS = Path(__file__).with_name("programs")
EXAMPLES = int(os.environ.get("BAYPLAN_EXAMPLES", "3"))  # of each operation; more find more, and take longer
GROUPS = (
    "api/v1",
    "apis/apps/v1",
    "apis/batch/v1",
    "apis/policy/v1",
    "apis/coordination.k8s.io/v1",
    "apis/bayplan.io/v1alpha1",
    "apis/neuronetes.io/v1alpha1",
    "apis/mlops.seldon.io/v1alpha1",
    "apis/ai.centauruscloud.io/v1alpha1",
    "apis/scheduling.x-k8s.io/v1alpha1",
    "apis/topology.node.k8s.io/v1alpha2",
    "apis/inference.networking.x-k8s.io/v1alpha2",
)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with RunningServer(tmp_path_factory.mktemp("schemathesis"), "--insecure-http") as started:
        yield started


@pytest.mark.parametrize("group", GROUPS)
def test_no_generated_request_ends_in_a_fault_of_the_server(server, group, tmp_path):
    tool = environment("schemathesis").with_name("schemathesis")
    command = [
        str(tool), "run", f"{server.url}/openapi/v3/{group}", "--url", server.url,
        "--checks", "not_a_server_error", "--phases", "fuzzing", "--max-examples", str(EXAMPLES),
        "--seed", "12", "--request-timeout", "10", "--suppress-health-check", "all", "--no-color",
    ]  # fmt: skip
    surroundings = plain_environment() | {"PYTHONPATH": str(HOOKS), "SCHEMATHESIS_HOOKS": "hooks"}

    done = subprocess.run(
        command, capture_output=True, text=True, timeout=LONGEST_S, check=False, env=surroundings, cwd=tmp_path
    )

    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert "generated" in done.stdout, done.stdout
