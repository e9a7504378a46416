import pytest

from bayplan.signals.discovery.pod_endpoints import pod_run, pool_endpoints, replica_endpoints
from unit.signals.discovery.pods import pod

TOLD = {"bayplan.io/endpoint": "http://127.0.0.1:41234"}

POOLS = {
    "one port": (pod(), (8000,), {"a": "10.0.0.1:8000"}),
    "several ports": (
        pod(),
        (8000, 8001, 8002),
        {f"a-rank-{rank}": f"10.0.0.1:800{rank}" for rank in range(3)},
    ),
    "some ports are active": (
        pod(annotations={"llm-d.ai/active-ports": "8000, 8002"}),
        (8000, 8001, 8002),
        {"a-rank-0": "10.0.0.1:8000", "a-rank-2": "10.0.0.1:8002"},
    ),
    "the older annotation": (
        pod(annotations={"inference.networking.k8s.io/active-ports": "8001"}),
        (8000, 8001),
        {"a-rank-1": "10.0.0.1:8001"},
    ),
    "both annotations": (
        pod(annotations={"inference.networking.k8s.io/active-ports": "8001", "llm-d.ai/active-ports": "8000"}),
        (8000, 8001),
        {"a-rank-0": "10.0.0.1:8000"},
    ),
    "no port is active": (pod(annotations={"llm-d.ai/active-ports": ""}), (8000,), {}),
    "ports that cannot be read": (
        pod(annotations={"llm-d.ai/active-ports": "8000;8001"}),
        (8000,),
        {"a": "10.0.0.1:8000"},
    ),
    "a port that a worker chose": (pod(annotations=TOLD), (8000,), {"a": "127.0.0.1:41234"}),
    "a worker chooses the first port alone": (
        pod(annotations=TOLD),
        (8000, 8001),
        {"a-rank-0": "127.0.0.1:41234", "a-rank-1": "10.0.0.1:8001"},
    ),
    "no address yet": (pod(ip=""), (8000,), {}),
    "it has ended": (pod(phase="Succeeded"), (8000,), {}),
    "no ports": (pod(), (), {}),
    "IPv6": (pod(ip="fd12::1"), (8000,), {"a": "[fd12::1]:8000"}),
}


@pytest.mark.parametrize(("document", "ports", "addresses"), POOLS.values(), ids=POOLS)
def test_endpoints_of_a_pool(document, ports, addresses):
    assert {each.name: each.address for each in pool_endpoints(document, ports)} == addresses


REPLICAS = {
    "a port that a worker told": (pod(annotations=TOLD), ["127.0.0.1:41234"]),
    "IPv6": (pod(annotations={"bayplan.io/endpoint": "http://[::1]:41234"}), ["[::1]:41234"]),
    "no port": (pod(), []),
    "no URL": (pod(annotations={"bayplan.io/endpoint": "http://[::1"}), []),
    "a URL without a port": (pod(annotations={"bayplan.io/endpoint": "http://10.0.0.1"}), []),
    "it has ended": (pod(annotations=TOLD, phase="Failed"), []),
}


@pytest.mark.parametrize(("document", "addresses"), REPLICAS.values(), ids=REPLICAS)
def test_endpoints_of_replicas(document, addresses):
    assert [each.address for each in replica_endpoints(document)] == addresses


RUNS = {
    "nothing is known": ({}, " restarted 0 times"),
    "never restarted": ({"containerStatuses": [{"restartCount": 0}]}, " restarted 0 times"),
    "two containers": ({"containerStatuses": [{"restartCount": 2}, {"restartCount": 1}]}, " restarted 3 times"),
    "no list": ({"containerStatuses": "x"}, " restarted 0 times"),
}


@pytest.mark.parametrize(("status", "run"), RUNS.values(), ids=RUNS)
def test_runs(status, run):
    assert pod_run(pod(**status)) == run


def test_another_pod_of_the_same_name_is_another_run():
    other = pod()
    other["metadata"]["uid"] = "u"

    assert pod_run(other) != pod_run(pod())


READINESS = {
    "ready": ([{"type": "Ready", "status": "True"}], True),
    "not ready": ([{"type": "Ready", "status": "False"}], False),
    "nothing is known": ([], False),
    "no list": (None, False),
    "only its containers": ([{"type": "ContainersReady", "status": "True"}], False),
}


@pytest.mark.parametrize(("conditions", "ready"), READINESS.values(), ids=READINESS)
def test_readiness(conditions, ready):
    (found,) = pool_endpoints(pod(conditions=conditions), (8000,))

    assert found.ready is ready


def test_a_pod_that_is_being_deleted_is_not_ready():
    document = pod()
    document["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"

    (found,) = pool_endpoints(document, (8000,))

    assert not found.ready


LABELS = {
    "its own": ({"app": "chat"}, {}, {"app": "chat"}),
    "the engine of its backend": ({}, {"bayplan.io/backend": "sglang"}, {"llm-d.ai/engine-type": "sglang"}),
    "a backend of the worker's own": ({}, {"bayplan.io/backend": "warp"}, {}),
    "a label of the engine counts": (
        {"inference.networking.k8s.io/engine-type": "triton"},
        {"bayplan.io/backend": "vllm"},
        {"inference.networking.k8s.io/engine-type": "triton"},
    ),
    "its model": ({}, {"bayplan.io/model": "org/model"}, {"bayplan.io/model": "org/model"}),
    "its stage": (
        {"bayplan.io/role": "prefill"},
        {},
        {"bayplan.io/role": "prefill", "llm-d.ai/role": "prefill"},
    ),
    "a role that is no stage": ({"bayplan.io/role": "trainer"}, {}, {"bayplan.io/role": "trainer"}),
    "a stage of its own label": (
        {"bayplan.io/role": "prefill", "llm-d.ai/role": "both"},
        {},
        {"bayplan.io/role": "prefill", "llm-d.ai/role": "both"},
    ),
}


@pytest.mark.parametrize(("labels", "annotations", "found"), LABELS.values(), ids=LABELS)
def test_labels(labels, annotations, found):
    (endpoint,) = pool_endpoints(pod(labels=labels, annotations=annotations), (8000,))

    assert endpoint.labels == found
    assert endpoint.namespace == "default"
