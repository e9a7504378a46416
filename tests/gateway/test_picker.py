"""A real picker, and gateways of other people: grpcio with Envoy's own messages, and curl."""

import json
import shutil
import ssl
import subprocess
from pathlib import Path

import pytest

from clients.environment import environment, plain_environment
from engine.running import LONGEST_S
from gateway.running_picker import running_picker

PROGRAM = Path(__file__).parent / "programs" / "grpc_gateway.py"
SCENARIOS = (
    "streamed", "buffered", "full duplex", "headers only", "subset", "refusals", "many at once", "cancelled",
    "violations", "hostile bytes", "health", "compressed",
)  # fmt: skip


@pytest.fixture(scope="module", params=["plain text", "TLS"])
def outcomes(request, tmp_path_factory):
    """What came of every scenario, and of the picker's counters after all of them."""
    folder = tmp_path_factory.mktemp("picker")
    flags = ("--self-signed",) if request.param == "TLS" else ()
    with running_picker(folder, "--admin-port", "0", "--health-port", "0", *flags) as picker:
        words = [str(environment("grpcio")), str(PROGRAM), picker.address]
        if flags:
            certificate = folder / "certificate.pem"
            certificate.write_text(ssl.get_server_certificate(("127.0.0.1", picker.port)))
            words.append(str(certificate))
        done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False, env=plain_environment())
        assert done.returncode == 0, done.stderr
        endpoints = _get(f"{picker.said['admin']}/endpoints")["endpoints"]
        yield {**json.loads(done.stdout), "nothing is in flight": "" if _is_idle(endpoints) else str(endpoints)}
        assert picker.stop() == 0


def _get(url):
    tool = shutil.which("curl")
    assert tool is not None, "curl is needed for this test"
    done = subprocess.run(
        [tool, "--silent", "--show-error", "--max-time", str(LONGEST_S), url], capture_output=True, check=True
    )
    return json.loads(done.stdout)


def _is_idle(endpoints):
    return len(endpoints) == 3 and not any(each["inflight"]["requests"] for each in endpoints)


@pytest.mark.parametrize("scenario", [*SCENARIOS, "nothing is in flight"])
def test_a_gateway_of_grpcio(outcomes, scenario):
    assert outcomes[scenario] == "", outcomes[scenario]
