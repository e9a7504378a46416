"""Models by name, end to end: Servers and Models are applied, a worker loads them, and clients ask a relay."""

import http.client
import json
import threading

import pytest

from gateway.running_relay import running_relay

SELDON = "/apis/mlops.seldon.io/v1alpha1/namespaces/default"
REPLICAS = "/apis/bayplan.io/v1alpha1/namespaces/default/serverreplicas"
INPUT = {"inputs": [{"name": "x", "shape": [1, 2], "datatype": "FP32", "data": [1, 2]}]}
MERGE = "application/merge-patch+json"


def server(replicas, memory="100Mi", overcommit=0):
    """A Server of simulated replicas."""
    container = {
        "name": "mlserver", "image": "none", "args": ["--load-seconds", "0.05"],
        "resources": {"requests": {"memory": memory}},
        "env": [{"name": "SELDON_OVERCOMMIT_PERCENTAGE", "value": str(overcommit)},
                {"name": "MEMORY_REQUEST",
                 "valueFrom": {"resourceFieldRef": {"containerName": "mlserver", "resource": "requests.memory"}}}],
    }  # fmt: skip
    spec = {"serverConfig": "mlserver", "replicas": replicas, "capabilities": ["sklearn"]}
    metadata = {"name": "mlserver", "annotations": {"bayplan.io/backend": "simulated"}}
    return {
        "apiVersion": "mlops.seldon.io/v1alpha1", "kind": "Server", "metadata": metadata,
        "spec": {**spec, "podSpec": {"terminationGracePeriodSeconds": 5, "containers": [container]}},
    }  # fmt: skip


class ModelHall:
    """A server, a worker and a relay, and Models that are applied to them."""

    def __init__(self, machines, folder, relay):
        self.machines, self.folder, self.relay = machines, folder, relay

    def apply(self, name, memory="40Mi", **spec):
        (self.folder / "model.bin").write_text("weights")
        body = {"storageUri": f"file://{self.folder}", "requirements": ["sklearn"], "memory": memory, **spec}
        self.machines.ask("POST", f"{SELDON}/models", {
            "apiVersion": "mlops.seldon.io/v1alpha1", "kind": "Model", "metadata": {"name": name}, "spec": body,
        })  # fmt: skip

    def change(self, kind, name, **spec):
        self.machines.ask("PATCH", f"{SELDON}/{kind}/{name}", {"spec": spec}, Content_Type=MERGE)

    def index(self):
        """State by model and version, as the relay tells clients."""
        told = self.relay.ask("GET", "/v2/repository/index").document
        return {f"{each['name']}_{each['version']}": each["state"] for each in told}

    def wait_index(self, **states):
        self.machines.wait(lambda: self.index() == states)

    def rows(self):
        return {each["metadata"]["name"]: each for each in self.machines.ask("GET", REPLICAS)["items"]}


class Clients:
    """Ask for models in turns without a pause while the `with` lasts; `problems` are all answers but good ones."""

    def __init__(self, port, *models, count=3):
        self.port, self.models = port, models
        self.answered, self.problems = 0, []
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._threads = [threading.Thread(target=self._ask) for _ in range(count)]

    def _ask(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        while not self._ended.is_set():
            for model in self.models:
                try:
                    connection.request("POST", f"/v2/models/{model}/infer", json.dumps(INPUT))
                    answer = connection.getresponse()
                    body = answer.read()
                except OSError as error:
                    self.problems.append(repr(error))
                    connection.close()
                    continue
                if answer.status == 200:
                    with self._lock:
                        self.answered += 1
                else:
                    self.problems.append((model, answer.status, body))
        connection.close()

    def __enter__(self):
        for each in self._threads:
            each.start()
        return self

    def __exit__(self, *_):
        self._ended.set()
        for each in self._threads:
            each.join()


@pytest.fixture
def hall(machines, tmp_path):
    machines.worker("w")
    (tmp_path / "model").mkdir()
    with running_relay(tmp_path, "--server", str(machines.server.kubeconfig), engines=[]) as relay:
        yield ModelHall(machines, tmp_path / "model", relay)


def test_no_request_fails_while_models_roll_out_and_replicas_drain(hall):
    hall.machines.ask("POST", f"{SELDON}/servers", server(replicas=2))
    hall.apply("iris", replicas=2)
    hall.wait_index(iris_1="READY")

    with Clients(hall.relay.port, "iris") as clients:
        hall.change("models", "iris", parameters=[{"name": "threshold", "value": "1"}])
        hall.wait_index(iris_2="READY")
        hall.change("models", "iris", replicas=1)
        hall.change("servers", "mlserver", replicas=1)
        hall.machines.wait(lambda: list(hall.rows()) == ["mlserver-0"])
        hall.machines.wait(lambda: hall.machines.get("mlserver-1") is None)

    assert clients.problems == []
    assert clients.answered


def test_models_that_do_not_fit_together_are_loaded_when_they_are_asked_for(hall):
    hall.machines.ask("POST", f"{SELDON}/servers", server(replicas=1, overcommit=50))
    for name in ("a", "b", "c"):
        hall.apply(name)
    hall.wait_index(a_1="READY", b_1="READY", c_1="READY")

    with Clients(hall.relay.port, "a", "b", "c", count=1) as clients:
        hall.machines.wait(lambda: clients.answered > 12)

    assert clients.problems == []


def test_a_server_that_is_killed_is_waited_for_or_another_replica_answers(hall):
    hall.machines.ask("POST", f"{SELDON}/servers", server(replicas=2))
    hall.apply("iris", replicas=2, minReplicas=1)
    hall.wait_index(iris_1="READY")

    with Clients(hall.relay.port, "iris") as clients:
        hall.machines.kill(hall.machines.pid("mlserver-0"))
        hall.machines.wait(lambda: hall.machines.container("mlserver-0")["restartCount"] == 1)
        before = clients.answered
        hall.machines.wait(lambda: clients.answered > before + 50)

    assert clients.problems == []


def test_several_relay_processes_ask_one_account(machines, tmp_path):
    machines.worker("w")
    (tmp_path / "model").mkdir()
    flags = ("--server", str(machines.server.kubeconfig), "--processes", "2")
    with running_relay(tmp_path, *flags, engines=[]) as relay:
        hall = ModelHall(machines, tmp_path / "model", relay)
        machines.ask("POST", f"{SELDON}/servers", server(replicas=1))
        hall.apply("iris")
        hall.wait_index(iris_1="READY")
        with Clients(relay.port, "iris") as clients:
            machines.wait(lambda: clients.answered > 20)

        assert clients.problems == []
        machines.wait(lambda: json.loads(relay.admin("/models").body)["models"][0]["answered"] == clients.answered)
