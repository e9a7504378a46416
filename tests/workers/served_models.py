"""Servers and Models of Seldon on a running server with one worker, as users write them."""

import json

import httpx

from bayplan.manifests.marks import BACKEND

OWN = "/apis/bayplan.io/v1alpha1/namespaces/default"
SELDON = "/apis/mlops.seldon.io/v1alpha1/namespaces/default"
MERGE = "application/merge-patch+json"


class ServedModels:
    """One server of many models, and the Models on it."""

    def __init__(self, machines, name="s", *args, backend="simulated", replicas=1, memory="200Mi", overcommit=0):
        self.machines, self.name = machines, name
        env = [{"name": "SELDON_OVERCOMMIT_PERCENTAGE", "value": str(overcommit)}]
        container = {"name": "server", "image": "none", "args": list(args), "env": env}
        container["resources"] = {"requests": {"memory": memory, "cpu": "10m"}}
        pod = {"terminationGracePeriodSeconds": 5, "containers": [container]}
        spec = {"serverConfig": "mlserver", "capabilities": ["sklearn"], "replicas": replicas, "podSpec": pod}
        metadata = {"name": name, "annotations": {BACKEND: backend}}
        self._apply("servers", "Server", metadata, spec)
        for index in range(replicas):
            machines.wait(lambda index=index: self.status(index)["connected"])

    def model(self, name, folder, **spec):
        """Apply a Model; its files are in the folder."""
        spec = {"storageUri": f"file://{folder}", "requirements": ["sklearn"], "memory": "50Mi", **spec}
        self._apply("models", "Model", {"name": name}, spec)

    def change(self, name, **spec):
        self.machines.ask("PATCH", f"{SELDON}/models/{name}", {"spec": spec}, Content_Type=MERGE)

    def delete(self, name):
        self.machines.ask("DELETE", f"{SELDON}/models/{name}")

    def _apply(self, plural, kind, metadata, spec):
        document = {"apiVersion": "mlops.seldon.io/v1alpha1", "kind": kind, "metadata": metadata, "spec": spec}
        self.machines.ask("POST", f"{SELDON}/{plural}", document)

    def condition(self, name):
        """The condition ModelReady."""
        conditions = self.machines.ask("GET", f"{SELDON}/models/{name}")["status"]["conditions"]
        return next(each for each in conditions if each["type"] == "ModelReady")

    def wait_ready(self, *names):
        for name in names:
            self.machines.wait(lambda name=name: self.condition(name)["status"] == "True")

    def failures(self):
        """What the worker says about models that cannot be loaded."""
        events = self.machines.ask("GET", "/api/v1/namespaces/default/events")["items"]
        return " ".join(each["message"] for each in events if each["reason"] == "ModelFailed")

    def status(self, index=0):
        """The status of a ServerReplica; empty where there is none yet."""
        code, text = self.machines.server.request("GET", f"{OWN}/serverreplicas/{self.name}-{index}")
        return json.loads(text).get("status") or {} if code == 200 else {}

    def answers(self, index=0):
        """What the agent has done, by internal name."""
        return {each["name"]: each for each in self.status(index).get("models") or ()}

    def residents(self):
        return {name for name, each in self.answers().items() if each["resident"]}

    def infer(self, name, row, index=0):
        """The first output for one row, asked of the server replica itself; the status where it is refused."""
        tensor = {"name": "x", "shape": [1, len(row)], "datatype": "FP32", "data": row}
        status, answer = post(f"http://{self.status(index)['rest']}/v2/models/{name}/infer", {"inputs": [tensor]})
        return answer["outputs"][0]["data"] if status == 200 else status


def post(url, body=None):
    """The status and the document of an answer."""
    answer = httpx.post(url, json={} if body is None else body, timeout=60, trust_env=False)
    return answer.status_code, answer.json() if answer.content else {}
