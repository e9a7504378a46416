"""Deployments and their like."""

from __future__ import annotations

import pytest

from bayplan.cluster.workload import Preemption, WorkloadId
from bayplan.manifests.workloads.controllers import collect_controller
from unit.manifests.opened import places
from unit.manifests.workloads.templates import collected, members, template

REPLICAS = {
    "absent": ({}, 1),
    "null": ({"replicas": None}, 1),
    "none": ({"replicas": 0}, 0),
    "a text": ({"replicas": "3"}, 3),
}


@pytest.mark.parametrize(("spec", "replicas"), REPLICAS.values(), ids=REPLICAS)
def test_replicas(spec, replicas):
    (found,), fields = collected(collect_controller, {"template": template(2), **spec}, namespace="n", uid="u")

    assert members(found) == [("", replicas, 2)]
    assert (found.workload.replicas, found.workload.gang, found.workload.roles) == (replicas, None, ())
    assert found.workload.id == WorkloadId("w", "n", "u")
    assert not fields.findings.errors
    assert not fields.findings.warnings


def test_the_template_is_a_pod():
    spec = template(
        priority=7,
        preemptionPolicy="PreemptLowerPriority",
        nodeSelector={"a": "b"},
        tolerations=[{"operator": "Exists"}],
    )
    (found,), _ = collected(collect_controller, {"template": spec})

    assert found.workload.id.priority == 7
    assert found.workload.preemption is Preemption.LOWER_PRIORITY
    assert found.workload.shape.selector.matches({"a": "b"})
    assert not found.workload.shape.selector.matches({})
    assert len(found.workload.shape.tolerations) == 1


def test_a_gate_in_the_template_holds_all_pods_back():
    (found,), fields = collected(
        collect_controller, {"template": template(schedulingGates=[{"name": "g"}]), "replicas": 3}
    )

    assert found.workload.replicas == 0
    assert "held back by g" in fields.findings.warnings[0]


ODD = {
    "no template": ({}, ["spec.template"]),
    "a template that is a list": ({"template": []}, ["spec.template", "spec.template.spec.containers"]),
    "no containers": ({"template": {"spec": {}}}, ["spec.template.spec.containers"]),
    "replicas": ({"template": template(), "replicas": "many"}, ["spec.replicas"]),
    "fewer than none": ({"template": template(), "replicas": -1}, ["spec.replicas"]),
    "too many": ({"template": template(), "replicas": 10**7}, ["spec.replicas"]),
    "cards": ({"template": template("x")}, ['spec.template.spec.containers[0].resources.limits["nvidia.com/gpu"]']),
}


@pytest.mark.parametrize(("spec", "where"), ODD.values(), ids=ODD)
def test_what_is_wrong_has_its_place(spec, where):
    _, fields = collected(collect_controller, spec)

    assert places(fields) == where


def test_a_field_that_is_not_there():
    _, fields = collected(collect_controller, {"template": template(), "replcas": 2})

    assert "did you mean 'replicas'?" in fields.findings.warnings[0]


def test_flags_that_ask_for_more_cards():
    _, fields = collected(collect_controller, {"template": template(2, args=["--tp=4"]), "replicas": 8})

    assert "ask for 4 cards (tensor parallel 4), but each Pod requests 2 cards" in fields.findings.warnings[0]
