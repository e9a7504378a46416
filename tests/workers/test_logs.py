"""`kubectl logs` and `bayplan logs`: what replicas wrote, and what they are writing."""

import subprocess
import sys

import pytest

from workers.machines import LONGEST_S, PODS

LINES = "for n in 1 2 3 4 5; do echo line $n; done; exec sleep 1000"


@pytest.fixture(scope="module")
def lines(shared):
    shared.pod("lines", "sh", "-c", LINES)
    shared.wait(lambda: shared.log("lines").count("\n") == 5)
    return shared


ASKED = {
    "everything": ("", "line 1\nline 2\nline 3\nline 4\nline 5\n"),
    "the end": ("tailLines=2", "line 4\nline 5\n"),
    "nothing of it": ("tailLines=0", ""),
    "more than there is": ("tailLines=100", "line 1\nline 2\nline 3\nline 4\nline 5\n"),
    "so many bytes": ("limitBytes=9", "line 1\nli"),
    "the last minutes": ("sinceSeconds=3600", "line 1\nline 2\nline 3\nline 4\nline 5\n"),
    "since a time to come": ("sinceTime=2100-01-01T00:00:00Z", ""),
}


@pytest.mark.parametrize(("query", "text"), ASKED.values(), ids=ASKED)
def test_parts_of_a_log(lines, query, text):
    assert lines.log("lines", query) == text


def test_lines_with_their_times(lines):
    first = lines.log("lines", "timestamps=true").splitlines()[0]

    assert first.endswith("Z line 1")
    assert len(first.split()[0]) == len("2026-01-01T00:00:00.000000000Z")


REFUSED = {
    "no number": ("lines", "tailLines=x", "no whole number"),
    "no run before": ("lines", "previous=true", "no log of a run before this one"),
    "no such container": ("lines", "container=x", "is not valid"),
}


@pytest.mark.parametrize(("name", "query", "text"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_answered(lines, name, query, text):
    code, answer = lines.server.request("GET", f"{PODS}/{name}/log?{query}")

    assert code == 400
    assert text in answer.decode()


def test_a_container_that_waits_says_what_for(shared):
    shared.pod("waits", "no-such-command")
    shared.wait_state("waits", "waiting", "CreateContainerError")

    code, answer = shared.server.request("GET", f"{PODS}/waits/log")

    assert code == 400
    assert "is waiting to start: CreateContainerError" in answer.decode()


@pytest.fixture(params=["bayplan", "kubectl"])
def follower(request, shared):
    """A command that follows the log of a Pod."""
    if request.param == "bayplan":
        return [sys.executable, "-m", "bayplan", "logs", "--data", str(shared.server.data), "-f"]
    binary = request.getfixturevalue("kubectl_binary")
    return [binary, "--kubeconfig", str(shared.server.kubeconfig), "logs", "-f"]


def test_a_log_is_followed_until_the_container_ends(shared, follower):
    name = f"follow-{len(follower)}"
    waits = "echo first; while [ ! -e go ]; do sleep 0.05; done; echo second; echo last"
    shared.pod(name, "sh", "-c", waits, restartPolicy="Never")
    shared.wait(lambda: shared.log(name) == "first\n")

    reader = subprocess.Popen([*follower, name], stdout=subprocess.PIPE, text=True)
    assert reader.stdout.readline() == "first\n"
    (shared.scratch(name) / "go").touch()
    rest, _ = reader.communicate(timeout=LONGEST_S)

    assert rest == "second\nlast\n"
    assert reader.returncode == 0


def test_a_log_that_is_larger_than_its_limit_keeps_its_end(machines):
    machines.worker("w", "--log-size", "1Mi", "--log-files", "2")

    machines.pod("p", "sh", "-c", "seq 1 100000; echo end; exec sleep 1000")
    machines.wait(lambda: machines.log("p", "tailLines=1") == "end\n")

    kept = machines.log("p").splitlines()
    assert kept[-3:] == ["99999", "100000", "end"]
    assert 10_000 < len(kept) < 80_000
    assert kept[:-1] == [str(number) for number in range(100_002 - len(kept), 100_001)]
