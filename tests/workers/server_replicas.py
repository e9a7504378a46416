"""ServerReplicas with their Pods, written by hand, for tests of the agent in a worker."""

import httpx

from bayplan.manifests.marks import BACKEND, SERVER

REPLICAS = "/apis/bayplan.io/v1alpha1/namespaces/default/serverreplicas"
PODS = "/api/v1/namespaces/default/pods"


class Replica:
    """One ServerReplica that a Pod of worker `w` runs; `args` are those of its server."""

    def __init__(self, machines, name="s-0", *args, backend="simulated", **spec):
        self.machines, self.name, self._requests = machines, name, 0
        server = name.rpartition("-")[0]
        labels = {SERVER: server}
        spec = {"server": server, "index": 0, "pod": name, "backend": backend, **spec}
        document = {"apiVersion": "bayplan.io/v1alpha1", "kind": "ServerReplica", "spec": spec}
        machines.ask("POST", REPLICAS, document | {"metadata": {"name": name, "labels": labels}})
        container = {"name": "server", "image": "none", "args": list(args)}
        pod = {"schedulerName": "by-hand", "terminationGracePeriodSeconds": 5, "containers": [container]}
        metadata = {"name": name, "labels": labels, "annotations": {BACKEND: backend}}
        machines.ask("POST", PODS, {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod})
        machines.bind(name, "w")

    def book(self, *bookings):
        """Replace the bookings; each call is a new request to load or unload."""
        self._requests += 1
        models = [{"generation": self._requests, **each} for each in bookings]
        patch = {"spec": {"models": models}}
        self.machines.ask("PATCH", f"{REPLICAS}/{self.name}", patch, Content_Type="application/merge-patch+json")

    @property
    def status(self):
        return self.machines.ask("GET", f"{REPLICAS}/{self.name}").get("status") or {}

    def model(self, name):
        return next((each for each in self.status.get("models") or () if each["name"] == name), {})

    def states(self):
        return {each["name"]: each["state"] for each in self.status.get("models") or ()}

    def wait_states(self, **states):
        self.machines.wait(lambda: self.states() == states)

    def infer(self, name, row):
        """The first output for one row; the status where it is refused."""
        tensor = {"name": "x", "shape": [1, len(row)], "datatype": "FP32", "data": row}
        status, answer = post(f"http://{self.status['rest']}/v2/models/{name}/infer", {"inputs": [tensor]})
        return answer["outputs"][0]["data"] if status == 200 else status


def post(url, body=None):
    """The status and the document of an answer."""
    answer = httpx.post(url, json={} if body is None else body, timeout=60, trust_env=False)
    return answer.status_code, answer.json() if answer.content else {}
