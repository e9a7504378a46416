"""Servers of many models: their worker loads and unloads models as their ServerReplicas say."""

import json
import signal
import urllib.request

import pytest

from bayplan.manifests.marks import BACKEND, SERVER

REPLICAS = "/apis/bayplan.io/v1alpha1/namespaces/default/serverreplicas"
ROW = {"inputs": [{"name": "x", "shape": [1, 2], "datatype": "FP32", "data": [1, 2]}]}


class Replica:
    """One ServerReplica with its Pod, written by hand."""

    def __init__(self, machines, folder, name="s-0", **spec):
        self.machines, self.name, self.folder = machines, name, folder
        (folder / "model.bin").write_text("weights")
        spec = {"server": "s", "index": 0, "pod": name, "backend": "simulated", **spec}
        metadata = {"name": name, "labels": {SERVER: "s"}}
        document = {"apiVersion": "bayplan.io/v1alpha1", "kind": "ServerReplica", "metadata": metadata, "spec": spec}
        machines.ask("POST", REPLICAS, document)
        pod = {"name": name, "labels": {SERVER: "s"}, "annotations": {BACKEND: "simulated"}}
        container = {"name": "server", "image": "none", "args": ["--load-seconds", "0"]}
        spec = {"schedulerName": "by-hand", "terminationGracePeriodSeconds": 5, "containers": [container]}
        machines.ask(
            "POST",
            "/api/v1/namespaces/default/pods",
            {"apiVersion": "v1", "kind": "Pod", "metadata": pod, "spec": spec},
        )
        machines.bind(name, "w")

    def book(self, **states):
        """Bookings by name; each call is a new request."""
        self.generation = getattr(self, "generation", 0) + 1
        models = [
            {"name": name, "state": state, "generation": self.generation, "storageUri": f"file://{self.folder}"}
            for name, state in states.items()
        ]
        body = {"spec": {"models": models}}
        self.machines.ask("PATCH", f"{REPLICAS}/{self.name}", body, Content_Type="application/merge-patch+json")

    @property
    def status(self):
        return self.machines.ask("GET", f"{REPLICAS}/{self.name}").get("status") or {}

    def states(self):
        return {each["name"]: each["state"] for each in self.status.get("models") or ()}

    def infer(self, name):
        url = f"http://{self.status['rest']}/v2/models/{name}/infer"
        with urllib.request.urlopen(urllib.request.Request(url, json.dumps(ROW).encode())) as answer:
            return json.loads(answer.read())["outputs"][0]["data"]


@pytest.fixture
def replica(machines, tmp_path):
    machines.worker("w")
    (tmp_path / "model").mkdir()
    return Replica(machines, tmp_path / "model")


def test_models_are_loaded_asked_and_unloaded(replica):
    replica.book(**{"iris_1": "load-requested", "fail-load_1": "load-requested"})
    replica.machines.wait(lambda: replica.states().get("iris_1") == "loaded")

    assert replica.status["connected"]
    assert replica.status["usedMib"] > 0
    assert replica.infer("iris_1") == [3.0]
    assert replica.machines.get("s-0")["metadata"]["annotations"]["bayplan.io/endpoint"].endswith(
        replica.status["rest"]
    )

    replica.book(iris_1="unload-requested")
    replica.machines.wait(lambda: replica.states() == {"iris_1": "unloaded"})
    replica.book()
    replica.machines.wait(lambda: replica.states() == {})


def test_a_server_that_is_killed_gets_its_models_again(replica):
    replica.book(iris_1="available")
    replica.machines.wait(lambda: replica.states().get("iris_1") == "loaded")
    rest = replica.status["rest"]

    replica.machines.kill(replica.machines.pid("s-0"))
    replica.machines.wait(lambda: replica.machines.container("s-0")["restartCount"] == 1)
    replica.machines.wait(lambda: replica.status["connected"] and replica.status["models"][0]["resident"])

    assert replica.status["rest"] == rest
    assert replica.infer("iris_1") == [3.0]


def test_a_worker_that_stops_says_that_its_servers_do(replica):
    replica.book(iris_1="available")
    replica.machines.wait(lambda: replica.states().get("iris_1") == "loaded")

    replica.machines.workers[0].stop(signal.SIGTERM)
    assert not replica.status["connected"]
    replica.machines.worker("w")
    replica.machines.wait(lambda: replica.status["connected"] and replica.states() == {"iris_1": "loaded"})
    assert replica.infer("iris_1") == [3.0]
