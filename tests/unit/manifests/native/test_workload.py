"""Whole Workload documents."""

from __future__ import annotations

import pytest

from bayplan.cluster.gang import Gang
from bayplan.cluster.topology import Level
from bayplan.cluster.workload import GpuRequest, Preemption, Role, Shape, Workload, WorkloadId
from bayplan.framework.errors import InputError
from bayplan.manifests.fields import read_whole
from bayplan.manifests.native.workload import collect_workload
from bayplan.manifests.reader import Document, read_text


def read(spec):
    data = {"metadata": {"name": "w"}, "spec": spec}
    return read_whole(collect_workload, Document(data, "w.yaml"), data)


ID = WorkloadId("w")
ONE = Shape(gpus=GpuRequest(1))

WORKLOADS = {
    "nothing said": ({}, Workload(ID)),
    "null spec": (None, Workload(ID)),
    "replicas": ({"replicas": 3, "gpus": {"count": 1}}, Workload(ID, ONE, 3)),
    "none wanted": ({"replicas": 0}, Workload(ID, replicas=0)),
    "priority": ({"priority": -7, "preemption": "lower-priority"}, Workload(
        WorkloadId("w", priority=-7), preemption=Preemption.LOWER_PRIORITY)),
    "a gang of all": ({"gang": {}}, Workload(ID, gang=Gang())),
    "a gang": ({"gang": {"minimum": 2, "within": "nvlink-domain"}}, Workload(ID, gang=Gang(2, Level.NVLINK_DOMAIN))),
    "spread": ({"spreadOver": "zone"}, Workload(ID, spread_over=Level.ZONE)),
    "roles": (
        {"roles": [{"name": "a", "replicas": 2, "cpu": 1}, {"name": "b", "priority": 5, "preemption": "never"}]},
        Workload(ID, roles=(Role("a", 2, Shape(cpu_milli=1000)), Role("b", 1, Shape(), 5, Preemption.NEVER)))),
    "what a role does not say is the workload's": (
        {"strategy": "spread", "cpu": 1, "roles": [{"name": "a"}, {"name": "b", "cpu": 2}]},
        Workload(ID, Shape(strategy="spread", cpu_milli=1000), roles=(
            Role("a", 1, Shape(strategy="spread", cpu_milli=1000)),
            Role("b", 1, Shape(strategy="spread", cpu_milli=2000))))),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "workload"), WORKLOADS.values(), ids=WORKLOADS)
def test_workload(spec, workload):
    found, warnings = read(spec)

    assert found == workload
    assert warnings == ()


REFUSED = {
    "half a replica": ({"replicas": 1.5}, "spec.replicas"),
    "no gang": ({"gang": True}, "spec.gang"),
    "a gang within nowhere": ({"gang": {"within": "region"}}, "spec.gang.within"),
    "spread over nothing": ({"spreadOver": "nvlink-domain"}, "spec.spreadOver"),
    "a role without a name": ({"roles": [{}]}, "spec.roles[0].name"),
    "a role twice": ({"roles": [{"name": "a"}, {"name": "a"}]}, "spec.roles[1].name"),
    "inside a role": ({"roles": [{"name": "a", "gpus": {"count": "x"}}]}, "spec.roles[0].gpus.count"),
    "a spec that is none": ([], "spec"),
    "preemption": ({"preemption": "always"}, "spec.preemption"),
}


@pytest.mark.parametrize(("spec", "place"), REFUSED.values(), ids=REFUSED)
def test_refused(spec, place):
    with pytest.raises(InputError) as refused:
        read(spec)

    assert refused.value.place == f"w.yaml: {place}"


def test_replicas_do_not_count_beside_roles():
    (warning,) = read({"replicas": 5, "roles": [{"name": "a"}]})[1]

    assert warning.startswith("w.yaml: spec.replicas: has no effect beside roles")


def test_misspelt_fields_are_told_at_every_level():
    warnings = read({"replica": 1, "gpus": {"cout": 1}, "roles": [{"name": "a", "cpus": 1}]})[1]

    assert [warning.partition(": there")[0] for warning in warnings] == [
        "w.yaml: spec.gpus.cout",
        "w.yaml: spec.roles[0].cpus",
        "w.yaml: spec.replica",
    ]


def test_the_line_is_told():
    (document,) = read_text("metadata: {name: w}\nspec:\n  gpuIds:\n    - a:cuda:0\n    - a-cuda-1\n", "w.yaml")

    with pytest.raises(InputError, match=r"w\.yaml:5: spec\.gpuIds\[1\]: 'a-cuda-1' names no card"):
        read_whole(collect_workload, document, document.data)
