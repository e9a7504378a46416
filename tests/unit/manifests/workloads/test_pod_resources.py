"""What the containers of a Pod ask for together."""

from __future__ import annotations

import pytest

from bayplan.cluster.workload import GpuRequest
from bayplan.manifests.workloads.pod_resources import PodRequest, read_min_resources, read_pod_request
from unit.manifests.opened import opened, places


def asks(requests=None, limits=None, **others):
    return {"resources": {"requests": requests, "limits": limits}} | others


def pod(*containers, **others):
    return {"containers": list(containers)} | others


GPU = "nvidia.com/gpu"
VMEM, VCPU = "alnair/vgpu-memory", "alnair/vgpu-compute"

REQUESTS = {
    "nothing": (pod({}), PodRequest(None, None, None)),
    "cpu and memory": (pod(asks({"cpu": "500m", "memory": "1Gi"})), PodRequest(500, 1024, None)),
    "a bare number is bytes": (pod(asks({"memory": 1048577})), PodRequest(None, 2, None)),
    "containers add up": (pod(asks({"cpu": 1, GPU: 1}), asks({"cpu": 2, GPU: "1"})),
                          PodRequest(3000, None, GpuRequest(2, runtime="cuda"))),
    "a limit without a request": (pod(asks(limits={GPU: 4, "cpu": 1})),
                                  PodRequest(1000, None, GpuRequest(4, runtime="cuda"))),
    "a request goes before its limit": (pod(asks({"cpu": 1}, {"cpu": 8})), PodRequest(1000, None, None)),
    "none of a card": (pod(asks({GPU: 0})), PodRequest(None, None, None)),
    "amd": (pod(asks({"amd.com/gpu": 2})), PodRequest(None, None, GpuRequest(2, runtime="rocm"))),
    "slices": (pod(asks({"nvidia.com/mig-1g.5gb": 3})), PodRequest(None, None, GpuRequest(3, mig="1g.5gb"))),
    "shares add up on one card": (
        pod(asks({VMEM: 5, VCPU: 30}), asks({VMEM: 1, VCPU: 20})),
        PodRequest(None, None, GpuRequest(1, memory_mib=6144, compute_milli=500))),
    "memory alone": (pod(asks({VMEM: 5})), PodRequest(None, None, GpuRequest(1, memory_mib=5120))),
    "compute alone": (pod(asks({VCPU: 5})), PodRequest(None, None, GpuRequest(1, compute_milli=50))),
    "the largest step of the start": (
        pod(asks({"cpu": 1}), initContainers=[asks({"cpu": 4}), asks({"cpu": 2})]), PodRequest(4000, None, None)),
    "a start that asks for less": (pod(asks({"cpu": 5}), initContainers=[asks({"cpu": 4})]),
                                   PodRequest(5000, None, None)),
    "sidecars stay": (
        pod(asks({"cpu": 1}), initContainers=[asks({"cpu": 2}, restartPolicy="Always"), asks({"cpu": 4})]),
        PodRequest(6000, None, None)),
    "overhead": (pod(asks({"cpu": 1}), overhead={"cpu": "250m"}), PodRequest(1250, None, None)),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "request_"), REQUESTS.values(), ids=REQUESTS)
def test_request(spec, request_):
    fields = opened(spec)

    assert read_pod_request(fields) == request_
    assert not fields.findings.errors
    assert not fields.findings.warnings


REFUSED = {
    "no amount": (pod(asks({"cpu": "x"}), asks(limits={GPU: -1})), [
        "containers[0].resources.requests.cpu", 'containers[1].resources.limits["nvidia.com/gpu"]']),
    "half a card": (pod(asks({GPU: 0.5})), ['containers[0].resources.requests["nvidia.com/gpu"]']),
    "several kinds": (pod(asks({GPU: 1, "nvidia.com/mig-1g.5gb": 1})), ["containers"]),
    "a share and a card": (pod(asks({GPU: 1, VMEM: 1})), ["containers"]),
    "more than a card": (pod(asks({VCPU: 60}), asks({VCPU: 60})), ["containers"]),
    "no list": ({"containers": {}}, ["containers"]),
    "no mapping": (pod({"resources": [1]}), ["containers[0].resources"]),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "where"), REFUSED.values(), ids=REFUSED)
def test_refused(spec, where):
    fields = opened(spec)
    read_pod_request(fields)

    assert places(fields) == where


def test_resources_that_nobody_counts():
    fields = opened(pod(asks({"ephemeral-storage": "1Gi", "hugepages-2Mi": "4Mi", "rdma/ib": 1})))
    read_pod_request(fields)

    assert [each.split(": ")[1] for each in fields.findings.warnings] == ["containers[0].resources.requests.rdma/ib"]


def test_the_resources_of_a_group():
    assert read_min_resources(opened({"minResources": {"cpu": 8, "memory": "1Gi"}})) == {"cpu": 8000, "memory": 1024}
