"""A relay before the Pods of an InferencePool of a running server."""

import json

import pytest

from bayplan_up import RunningServer
from engine.running import running
from gateway.running_relay import running_relay

PODS = "/api/v1/namespaces/default/pods"
POOLS = "/apis/inference.networking.k8s.io/v1/namespaces/default/inferencepools"


@pytest.fixture
def server(tmp_path):
    with RunningServer(tmp_path / "data") as found:
        yield found


def sent(server, method, path, body, content_type="application/json"):
    code, text = server.request(method, path, body, Content_Type=content_type)
    assert code < 300, text
    return json.loads(text)


def add_pod(server, name):
    """A Pod that nothing runs here, as if a cluster did."""
    spec = {"schedulerName": "another", "containers": [{"name": "c", "image": "none"}]}
    labels = {"app": "chat"}
    sent(server, "POST", PODS, {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": name, "labels": labels},
                                "spec": spec})  # fmt: skip


def set_status(server, name, ready):
    condition = {"type": "Ready", "status": "True" if ready else "False"}
    status = {"status": {"phase": "Running", "podIP": "127.0.0.1", "conditions": [condition]}}
    sent(server, "PATCH", f"{PODS}/{name}/status", status, "application/merge-patch+json")


def test_the_pods_of_a_pool_are_the_endpoints(server, tmp_path):
    with running() as first, running() as second:
        ports = [{"number": each.port} for each in (first, second)]
        spec = {
            "selector": {"matchLabels": {"app": "chat"}}, "targetPorts": ports,
            "endpointPickerRef": {"name": "picker", "port": {"number": 9002}},
        }  # fmt: skip
        pool = {"apiVersion": "inference.networking.k8s.io/v1", "kind": "InferencePool", "metadata": {"name": "chat"}}
        sent(server, "POST", POOLS, {**pool, "spec": spec})
        flags = ("--server", str(server.kubeconfig), "--pool", "chat")
        with running_relay(tmp_path, *flags, engines=[first, second]) as relay:
            assert relay.endpoints() == []
            add_pod(server, "a")
            set_status(server, "a", ready=True)
            relay.until(lambda: [each["ready"] for each in relay.endpoints()] == [True, True])

            assert {relay.chat().status for _ in range(4)} == {200}
            assert {each["name"] for each in relay.endpoints()} == {"a-rank-0", "a-rank-1"}
            set_status(server, "a", ready=False)
            relay.until(lambda: [each["ready"] for each in relay.endpoints()] == [False, False])
            server.request("DELETE", f"{PODS}/a")
            relay.until(lambda: relay.endpoints() == [])
