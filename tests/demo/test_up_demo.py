"""`make up` as a new user meets it: what it prints, how it ends, and what the second start finds."""

import http.client
import json
import re
import shlex
import shutil
import signal
import subprocess
import sys

import pytest

from bayplan.cli.demo.local_relay import LocalRelay
from bayplan.cli.demo.local_worker import LocalWorker
from bayplan.cli.main import run
from bayplan.cli.server.connection import Connection
from bayplan.cli.server.location import read_kubeconfig
from demo.demo_server import DemoServer, environment, processes_of

OBJECTS = (
    "agentpool/support-agents", "agentpool/classifiers", "deployment/embedder", "elastichorovodjob/vision",
    "job/evaluation", "pod/simulation-0", "pod/thumbnailer", "server/risk", "server/tabular", "workload/chat-70b",
    "workload/coder-7b", "workload/local-chat", "workload/pretraining",
)  # fmt: skip
MODELS = {
    "fraud": ("risk", "1 of 1", "ModelAvailable"),
    "income": ("tabular", "2 of 2", "ModelAvailable"),
    "wine": ("tabular", "2 of 3", "ModelAvailable"),
    "forecast": ("-", "0 of 1", "ScheduleFailed"),
}


def _get(data, path):
    with Connection(read_kubeconfig(data / "kubeconfig"), tell=lambda _: None) as connection:
        return connection.get(path, place="test")


def _pods(data):
    found = _get(data, "/api/v1/namespaces/demo/pods")["items"]
    return {each["metadata"]["uid"]: each for each in found}


def _assert_relayed(out, data):
    """Both engines answered some of the traffic, and the printed line answers as it stands."""
    (chats,) = re.findall(r"^(\d+) chats through the relay at http://127.0.0.1:\d+$", out, re.MULTILINE)
    answered = [int(each) for each in re.findall(r"^local-chat-\S+ +(\d+) .* ms$", out, re.MULTILINE)]
    assert len(answered) == 2
    assert all(answered)
    assert sum(answered) == int(chats) == 12
    assert json.loads(_asked(out, "chat/completions"))["choices"][0]["message"]["content"]
    top = subprocess.run(
        [sys.executable, "-m", "bayplan", "top", "--data", str(data), "-o", "json"],
        capture_output=True, env=environment(), check=True, timeout=60,
    )  # fmt: skip
    assert sum(each["lately"]["answered"] for each in json.loads(top.stdout)["endpoints"]) == 13


def _assert_served(out):
    """Models are where they should be, or say why they are nowhere; and the printed line answers as it stands."""
    for name, expected in MODELS.items():
        (found,) = re.findall(rf"^model/{name} +(\S+) +(\d of \d) +(\S+)", out, re.MULTILINE)
        assert found == expected
    assert re.search(r"^model/forecast .*needs 512 MiB", out, re.MULTILINE)
    assert json.loads(_asked(out, "/infer"))["outputs"]


def _asked(out, path):
    """What the curl line that is about this path answers."""
    lines = re.findall(r"^  (curl [^\\\n]*(?:\\\n[^\\\n]*)+)$", out, re.MULTILINE)
    (line,) = (each for each in lines if path in each)
    curl = shlex.split(line.replace("\\\n", " "))
    if shutil.which("curl"):
        return subprocess.run([*curl, "-sf"], capture_output=True, check=True, timeout=60).stdout
    host, _, rest = curl[1].removeprefix("http://").partition("/")
    connection = http.client.HTTPConnection(host, timeout=60)
    connection.request("POST", f"/{rest}", curl[-1], {"content-type": "application/json"})
    body = connection.getresponse().read()
    connection.close()
    return body


def test_it_shows_what_is_where_and_finds_it_again(tmp_path):
    data = tmp_path / "data"
    with DemoServer(data, "--demo") as server:
        server.seen("ready https://127.0.0.1:")
        out = "\n".join(server.out)
        where, _, rest = out.partition("What waits, and why")
        for each in OBJECTS:
            assert re.search(rf"^{each} .*ready", where, re.MULTILINE), where
        assert "local (process)" in where
        assert re.search(r"^pod/notebook +1 +infeasible .*label-mismatch", rest, re.MULTILINE)
        assert re.search(r"^workload/next-training +2 +waiting ", rest, re.MULTILINE)
        commands = re.findall(r"^  ((?:kubectl|\S*bayplan) .*)$", rest, re.MULTILINE)
        assert len(commands) == 5
        assert commands[0].startswith("kubectl ")
        assert " why workload/next-training " in commands[1]
        assert " top " in commands[2]
        _assert_relayed(out, data)
        assert server.out[-1].startswith("ready ")
        _assert_served(out)
        assert "applying examples of every dialect: 28 of 28" in server.err
        before = _pods(data)

        beside = subprocess.run(
            [sys.executable, "-m", "bayplan", "up", "--demo", "--data", str(data), "--port", "0"],
            capture_output=True, text=True, env=environment(), check=False, timeout=60,
        )  # fmt: skip
        assert beside.returncode == 1
        assert f"process {server.process.pid}" in beside.stderr
        assert "--data DIR" in beside.stderr

        assert server.interrupt() == 0
    assert LocalWorker(data).pid() is LocalRelay(data).pid() is None
    assert processes_of(tmp_path) == []

    with DemoServer(data, "--demo") as server:
        server.seen("ready https://127.0.0.1:")
        after = _pods(data)
        assert {uid: each["spec"].get("nodeName") for uid, each in after.items()} == {
            uid: each["spec"].get("nodeName") for uid, each in before.items()
        }
        assert not any(line.startswith("applying") for line in server.err)
        assert re.search(r"^workload/local-chat +local \(process\) .* 2 ready$", "\n".join(server.out), re.MULTILINE)
        document = _get(data, "/v1/doctor")
        assert [each["id"] for each in document["invariants"] if each["ok"] is False] == []


def test_a_relay_outlives_a_killed_server_and_is_used_by_the_next(tmp_path):
    data = tmp_path / "data"
    with DemoServer(data, "--demo") as server:
        server.seen("ready https://127.0.0.1:")
        first, url = LocalRelay(data).pid(), LocalRelay(data).folder.url()
        server.process.kill()
        server.process.wait()
    assert first is not None

    with DemoServer(data, "--demo") as server:
        server.seen("ready https://127.0.0.1:")
        assert (LocalRelay(data).pid(), LocalRelay(data).folder.url()) == (first, url)
        assert f"12 chats through the relay at {url}" in server.out
        assert server.interrupt() == 0
    assert processes_of(tmp_path) == []


STAGES = ("tls", "applying examples of every dialect ...", "placing and starting replicas ...")


@pytest.mark.parametrize("stage", STAGES)
def test_an_interrupt_at_every_stage_ends_it_cleanly(tmp_path, stage):
    data = tmp_path / "data"
    with DemoServer(data, "--demo") as server:
        if stage == "tls":
            while not (data / "tls").exists() and server.process.poll() is None:
                pass
        else:
            server.seen(stage)
        assert server.interrupt() == 0, server.err

    assert not any("Traceback" in line for line in server.err)
    assert not (data / "run.json").exists()
    assert processes_of(tmp_path) == []


CLUSTER = """\
apiVersion: bayplan.io/v1alpha1
kind: Cluster
metadata: {name: lab}
workers: [{name: desk, count: 2, gpus: {count: 1, model: L4, memory: 24Gi}}]
"""
SCENARIO = """\
apiVersion: bayplan.io/v1alpha1
kind: Scenario
metadata: {name: storm}
workers: [{name: cloud, gpus: {count: 2, model: L4, memory: 24Gi}}]
"""


def test_a_cluster_file_and_a_scenario_become_nodes(tmp_path):
    cluster, scenario = tmp_path / "cluster.yaml", tmp_path / "scenario.yaml"
    cluster.write_text(CLUSTER)
    scenario.write_text(SCENARIO)
    with DemoServer(tmp_path / "data", "--cluster", str(cluster), "--simulate", str(scenario)) as server:
        server.seen("ready https://127.0.0.1:")
        nodes = _get(server.data, "/api/v1/nodes")["items"]
        labels = {each["metadata"]["name"]: each["metadata"]["labels"]["bayplan.io/runtime"] for each in nodes}

    assert labels == {"desk-0": "simulated", "desk-1": "simulated", "cloud": "simulated"}


WRONG = {
    "no scenario":  (["--simulate", "nowhere.yaml"], "nowhere.yaml: there is no such file"),
    "no cluster":   (["--cluster", "nowhere.yaml"], "nowhere.yaml"),
    "two of them":  (["--demo", "--simulate", "x.yaml"], "--demo brings a scenario of its own"),
}  # fmt: skip


@pytest.fixture
def handler():
    """The command takes over SIGTERM, which must not outlive the test."""
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.mark.usefixtures("handler")
@pytest.mark.parametrize(("flags", "message"), WRONG.values(), ids=WRONG)
def test_wrong_flags_are_told_before_anything_starts(tmp_path, capsys, flags, message):
    assert run(["up", "--data", str(tmp_path / "data"), "--port", "0", *flags]) == 1

    assert message in capsys.readouterr().err
    assert not (tmp_path / "data").exists()


def test_the_guided_tour_shows_a_failure_and_its_repair_and_leaves_nothing(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "bayplan", "demo"],
        capture_output=True, text=True, env=environment() | {"TMPDIR": str(tmp_path)}, check=False, timeout=150,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert [line[:2] for line in done.stdout.splitlines() if re.match(r"\d\. ", line)] == ["1.", "2.", "3.", "4."]
    dead = re.search(r"^2\. Worker (\S+) dies$", done.stdout, re.MULTILINE)[1]
    moves = re.findall(r"^(\S+) on (\S+) +(\S+) on (\S+)$", done.stdout, re.MULTILINE)
    assert len(moves) == 2
    assert all(before != after and old == dead != new for before, old, after, new in moves)
    assert list(tmp_path.iterdir()) == []
    assert processes_of(tmp_path) == []
    assert "error" not in done.stderr
