"""What the containers of a Pod ask for together."""

from __future__ import annotations

import pytest

from bayplan.cluster.gang import MinResources
from bayplan.cluster.workload import Container, GpuRequest
from bayplan.manifests.workloads.pod_resources import read_min_resources, read_pod_request
from unit.manifests.opened import opened, places


def asks(requests=None, limits=None, **others):
    return {"resources": {"requests": requests, "limits": limits}} | others


def pod(*containers, **others):
    return {"containers": list(containers)} | others


GPU, MIG = "nvidia.com/gpu", "nvidia.com/mig-1g.5gb"
VMEM, VCPU = "alnair/vgpu-memory", "alnair/vgpu-compute"

REQUESTS = {
    "nothing": (pod({}), (None, None, None)),
    "cpu and memory": (pod(asks({"cpu": "500m", "memory": "1Gi"})), (500, 1024, None)),
    "a bare number is bytes": (pod(asks({"memory": 1048577})), (None, 2, None)),
    "containers add up": (pod(asks({"cpu": 1, GPU: 1}), asks({"cpu": 2, GPU: "1"})),
                          (3000, None, GpuRequest(2, runtime="cuda", resource=GPU, per_container=1))),
    "a limit without a request": (pod(asks(limits={GPU: 4, "cpu": 1})),
                                  (1000, None, GpuRequest(4, runtime="cuda", resource=GPU, per_container=4))),
    "a request goes before its limit": (pod(asks({"cpu": 1}, {"cpu": 8})), (1000, None, None)),
    "the whole Pod goes before its containers": (
        pod(asks({"cpu": 1, "memory": "1Gi"}), resources={"requests": {"cpu": 4}}), (4000, 1024, None)),
    "limits of the whole Pod": (
        pod(asks({"cpu": 1}), resources={"limits": {"cpu": 4, "memory": "2Gi"}}), (1000, 2048, None)),
    "overhead comes on top of the whole Pod": (
        pod({}, resources={"requests": {"cpu": 4}}, overhead={"cpu": "250m"}), (4250, None, None)),
    "none of a card": (pod(asks({GPU: 0})), (None, None, None)),
    "amd": (pod(asks({"amd.com/gpu": 2})), (None, None, GpuRequest(2, runtime="rocm"))),
    "slices": (pod(asks({MIG: 3})), (None, None, GpuRequest(3, mig="1g.5gb", resource=MIG, per_container=3))),
    "shares add up on one card": (
        pod(asks({VMEM: 5, VCPU: 30}), asks({VMEM: 1, VCPU: 20})),
        (None, None, GpuRequest(1, memory_mib=6144, compute_milli=500))),
    "more than a card": (pod(asks({VCPU: 60}), asks({VCPU: 60})), (None, None, GpuRequest(1, compute_milli=1200))),
    "another maker": (pod(asks({"habana.ai/gaudi": 4})), (None, None, GpuRequest(4, runtime="hpu"))),
    "memory alone": (pod(asks({VMEM: 5})), (None, None, GpuRequest(1, memory_mib=5120))),
    "compute alone": (pod(asks({VCPU: 5})), (None, None, GpuRequest(1, compute_milli=50))),
    "the largest step of the start": (
        pod(asks({"cpu": 1}), initContainers=[asks({"cpu": 4}), asks({"cpu": 2})]), (4000, None, None)),
    "a start that asks for less": (pod(asks({"cpu": 5}), initContainers=[asks({"cpu": 4})]),
                                   (5000, None, None)),
    "sidecars stay": (
        pod(asks({"cpu": 1}), initContainers=[asks({"cpu": 2}, restartPolicy="Always"), asks({"cpu": 4})]),
        (6000, None, None)),
    "overhead": (pod(asks({"cpu": 1}), overhead={"cpu": "250m"}), (1250, None, None)),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "request_"), REQUESTS.values(), ids=REQUESTS)
def test_request(spec, request_):
    fields = opened(spec)

    found = read_pod_request(fields)

    assert (found.cpu_milli, found.ram_mib, found.gpus) == request_
    assert not fields.findings.errors
    assert not fields.findings.warnings


ALL = {"cpu": 2, "memory": "1Gi"}

CONTAINERS = {
    "nothing": (pod({}), [Container()], False),
    "all that it asks is promised": (pod(asks(ALL, ALL)), [Container(2000, 1024, 0, 2000)], True),
    "limits alone": (pod(asks(limits=ALL)), [Container(2000, 1024, 0, 2000)], True),
    "the same in other words": (pod(asks(ALL, {"cpu": "2000m", "memory": "1024Mi"})),
                                [Container(2000, 1024, 0, 2000)], True),
    "no limits": (pod(asks(ALL)), [Container(2000, 1024)], False),
    "more CPU if there is": (pod(asks(ALL, {**ALL, "cpu": 3})), [Container(2000, 1024, 0, 3000)], False),
    "no RAM": (pod(asks({"cpu": 2}, {"cpu": 2})), [Container(2000, 0, 0, 2000)], False),
    "none of it": (pod(asks({**ALL, "cpu": 0}, {**ALL, "cpu": 0})), [Container(0, 1024, 0, 0)], False),
    "one of two": (pod(asks(ALL, ALL), asks(ALL)), [Container(2000, 1024, 0, 2000), Container(2000, 1024)], False),
    "cards": (pod(asks({GPU: 2}), asks({})), [Container(cards=2), Container()], False),
    "slices": (pod(asks({"nvidia.com/mig-1g.5gb": 3})), [Container(cards=3)], False),
    "a share is one device": (pod(asks({VMEM: 5, VCPU: 30}), asks({VCPU: 1})),
                              [Container(cards=1), Container(cards=1)], False),
    "a start that is over": (pod(asks(ALL, ALL), initContainers=[asks(ALL, ALL)]),
                             [Container(2000, 1024, 0, 2000)], True),
    "a start without a promise": (pod(asks(ALL, ALL), initContainers=[asks(ALL)]),
                                  [Container(2000, 1024, 0, 2000)], False),
    "a sidecar runs beside": (pod(asks(ALL, ALL), initContainers=[asks(ALL, ALL, restartPolicy="Always")]),
                              [Container(2000, 1024, 0, 2000)] * 2, True),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "containers", "guaranteed"), CONTAINERS.values(), ids=CONTAINERS)
def test_containers(spec, containers, guaranteed):
    found = read_pod_request(opened(spec))

    assert list(found.containers) == containers
    assert found.guaranteed == guaranteed


REFUSED = {
    "no amount": (pod(asks({"cpu": "x"}), asks(limits={GPU: -1})), [
        "containers[0].resources.requests.cpu", 'containers[1].resources.limits["nvidia.com/gpu"]']),
    "half a card": (pod(asks({GPU: 0.5})), ['containers[0].resources.requests["nvidia.com/gpu"]']),
    "no list": ({"containers": {}}, ["containers"]),
    "no mapping": (pod({"resources": [1]}), ["containers[0].resources"]),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "where"), REFUSED.values(), ids=REFUSED)
def test_refused(spec, where):
    fields = opened(spec)
    read_pod_request(fields)

    assert places(fields) == where


def test_other_resources_are_asked_for_by_name():
    asked = asks({"ephemeral-storage": "1Gi", "hugepages-2Mi": "4Mi", "rdma/ib": 1, "widgets": "1k", "none/none": 0})
    fields = opened(pod(asked, asks(limits={"rdma/ib": "2"})))

    found = read_pod_request(fields)

    assert found.resources == {"ephemeral-storage": 1024, "hugepages-2Mi": 4, "rdma/ib": 3, "widgets": 1000}
    assert (found.gpus, found.unknown) == (None, "")
    assert not fields.findings.warnings


NOT_UNDERSTOOD = {
    "several kinds": (
        pod(asks({GPU: 1, "nvidia.com/mig-1g.5gb": 1})),
        "2 kinds of cards: nvidia.com/gpu, nvidia.com/mi",
    ),
    "a share and a card": (pod(asks({GPU: 1, VMEM: 1})), "2 kinds of cards: alnair/vgpu-memory, nvidia.com/gpu"),
    "two makers": (pod(asks({GPU: 1}), asks({"amd.com/gpu": 1})), "2 kinds of cards: amd.com/gpu, nvidia.com/gpu"),
    "claims": (pod({}, resourceClaims=[{"name": "g", "resourceClaimName": "x"}]), "resource claims g"),
    "claims beside cards": (pod(asks({GPU: 1}), resourceClaims=[{"name": "g"}]), "resource claims g"),
}


@pytest.mark.parametrize(("spec", "reason"), NOT_UNDERSTOOD.values(), ids=NOT_UNDERSTOOD)
def test_what_is_not_understood_is_said(spec, reason):
    fields = opened(spec)

    assert reason in read_pod_request(fields).unknown
    assert not fields.findings.errors


MINIMA = {
    "CPU and RAM": ({"cpu": 8, "memory": "1Gi"}, MinResources(8000, 1024)),
    "cards of all kinds": ({GPU: 2, "amd.com/gpu": "3"}, MinResources(cards=5)),
    "nothing": ({}, None),
    "none of it": ({"cpu": 0}, None),
    "a number of Pods": ({"pods": 3}, None),
}


@pytest.mark.parametrize(("given", "least"), MINIMA.values(), ids=MINIMA)
def test_the_resources_of_a_group(given, least):
    fields = opened({"minResources": given})

    assert read_min_resources(fields) == least
    assert not fields.findings.warnings


def test_shares_of_a_group_are_told():
    fields = opened({"minResources": {VMEM: 5, "cpu": 1}})

    assert read_min_resources(fields) == MinResources(1000)
    assert f"{VMEM} is ignored" in fields.findings.warnings[0]


def test_devices_of_the_whole_pod_are_not_understood():
    found = read_pod_request(opened(pod({}, resources={"limits": {GPU: 1}})))

    assert "ask for that in a container" in found.unknown


GUARANTEED = {
    "all is promised": ({"limits": {"cpu": 1, "memory": "1Gi"}}, True),
    "less is requested": ({"limits": {"cpu": 2, "memory": "1Gi"}, "requests": {"cpu": 1}}, False),
    "no memory": ({"limits": {"cpu": 2}}, False),
}


@pytest.mark.parametrize(("resources", "guaranteed"), GUARANTEED.values(), ids=GUARANTEED)
def test_the_whole_pod_may_be_guaranteed(resources, guaranteed):
    assert read_pod_request(opened(pod({}, resources=resources))).guaranteed is guaranteed
