"""One Pod."""

from __future__ import annotations

import pytest

from bayplan.cluster.selector import Selector
from bayplan.cluster.taint import Toleration
from bayplan.cluster.workload import Container, GpuRequest, Preemption, Shape, Workload, WorkloadId
from bayplan.manifests.pod_groups import GROUP_LABELS
from bayplan.manifests.workloads.pod import collect_pod
from unit.manifests.opened import opened, places


def pod(labels=None, **spec):
    containers = [{"name": "c", "image": "i", "resources": {"limits": {"nvidia.com/gpu": 1}}}]
    metadata = {"name": "p", "labels": labels}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": containers} | spec}


def test_a_pod_is_a_workload():
    fields = opened(pod(volumes=[], restartPolicy="Never", serviceAccountName="x"))

    shape = Shape(
        gpus=GpuRequest(1, runtime="cuda", resource="nvidia.com/gpu", per_container=1),
        containers=(Container(cards=1),),
        guaranteed=False,
    )
    assert collect_pod(fields).alone == Workload(WorkloadId("p"), shape)
    assert not fields.findings.errors
    assert not fields.findings.warnings


def test_who_and_where():
    given = pod(
        priority=7,
        preemptionPolicy="PreemptLowerPriority",
        nodeSelector={"a": "b"},
        tolerations=[{"operator": "Exists"}],
    )

    assert collect_pod(opened(given)).alone == Workload(
        WorkloadId("p", priority=7),
        Shape(
            gpus=GpuRequest(1, runtime="cuda", resource="nvidia.com/gpu", per_container=1),
            selector=Selector.of_labels({"a": "b"}),
            tolerations=(Toleration(operator="Exists"),),
            containers=(Container(cards=1),),
            guaranteed=False,
        ),
        preemption=Preemption.LOWER_PRIORITY,
    )


@pytest.mark.parametrize("label", GROUP_LABELS)
def test_the_group_of_a_pod(label):
    assert collect_pod(opened(pod({label: "g"}))).group == "g"


def test_most_pods_have_none():
    assert collect_pod(opened(pod({"app": "x"}))).group is None


def test_a_gate_holds_a_pod_back():
    fields = opened(pod(schedulingGates=[{"name": "example.com/hold"}]))
    found = collect_pod(fields)

    assert found.gated
    assert found.alone.replicas == 0
    assert "example.com/hold" in fields.findings.warnings[0]


SCHEDULERS = {
    "default-scheduler": "pack",
    "alnair-cost-saving": "vgpu-cost-saving",
    "alnair-high-performance": "vgpu-high-performance",
}


@pytest.mark.parametrize(("scheduler", "strategy"), SCHEDULERS.items())
def test_policies_by_the_name_of_a_scheduler(scheduler, strategy):
    fields = opened(pod(schedulerName=scheduler))

    assert collect_pod(fields).shape.strategy == strategy
    assert not fields.findings.warnings


TOLD = {
    "a class of priority": {"priorityClassName": "high"},
    "a runtime": {"runtimeClassName": "kata"},
    "a claim": {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]},
    "a field of the future": {"teleport": True},
}


@pytest.mark.parametrize("spec", TOLD.values(), ids=TOLD)
def test_what_is_not_looked_at_is_told(spec):
    fields = opened(pod(**spec))
    collect_pod(fields)

    assert [each.split(": ")[1] for each in fields.findings.warnings] == [f"spec.{next(iter(spec))}"]


REFUSED = {
    "no containers": ({"containers": None}, ["spec.containers"]),
    "no policy": ({"preemptionPolicy": "Always"}, ["spec.preemptionPolicy"]),
    "no priority": ({"priority": "high"}, ["spec.priority"]),
    "a toleration": ({"tolerations": [{"effect": "x"}]}, ["spec.tolerations[0].effect"]),
}


@pytest.mark.parametrize(("spec", "where"), REFUSED.values(), ids=REFUSED)
def test_refused(spec, where):
    fields = opened(pod(**spec))
    collect_pod(fields)

    assert places(fields) == where


UNCLEAR = {
    "no number":           ({"gpu-fraction": "half"}, "the annotation gpu-fraction: 'half' is not a number"),
    "more than a card":    ({"gpu-fraction": "1.5"}, "the annotation gpu-fraction: '1.5' is no part of a card"),
    "no MiB":              ({"gpu-memory": "2Gi"}, "the annotation gpu-memory: '2Gi'"),
    "no number of cards":  ({"gpu-fraction": "0.5", "gpu-fraction-num-devices": "0"}, "gpu-fraction-num-devices: '0'"),
    "two ways at once":    ({"gpu-fraction": "0.5", "gpu-memory": "9"}, "gpu-fraction and gpu-memory are both given"),
}  # fmt: skip


@pytest.mark.parametrize(("annotations", "told"), UNCLEAR.values(), ids=UNCLEAR)
def test_an_annotation_of_kai_that_is_not_understood_is_the_pods_own_refusal(annotations, told):
    given = pod(containers=[{"name": "c"}])
    given["metadata"]["annotations"] = annotations
    fields = opened(given)

    shape = collect_pod(fields).alone.shape
    assert told in shape.unknown
    assert not fields.findings.errors


def test_cards_and_a_part_of_one_are_not_understood():
    given = pod()
    given["metadata"]["annotations"] = {"gpu-fraction": "0.5"}

    assert "ask for one of the two" in collect_pod(opened(given)).alone.shape.unknown


GANGS_WITHOUT_A_GROUP = {
    "a label of the first co-scheduler": ("labels", "pod-group.scheduling.sigs.k8s.io/name"),
    "an annotation of Koordinator": ("annotations", "gang.scheduling.koordinator.sh/name"),
}


@pytest.mark.parametrize(("where", "key"), GANGS_WITHOUT_A_GROUP.values(), ids=GANGS_WITHOUT_A_GROUP)
def test_a_gang_that_no_group_counts_is_not_followed(where, key):
    given = pod()
    given["metadata"][where] = {key: "training"}

    unknown = collect_pod(opened(given)).alone.shape.unknown

    assert key in unknown
    assert GROUP_LABELS[0] in unknown
