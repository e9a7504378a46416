"""The number behind the name of a priority."""

from __future__ import annotations

import pytest

from bayplan.cluster.workload import Preemption
from bayplan.manifests.workloads.priority_class import (
    NO_CLASSES,
    PriorityClass,
    PriorityClasses,
    collect_priority_class,
    read_priority,
)
from unit.manifests.opened import opened, places

KNOWN = PriorityClasses.of([PriorityClass("high", 1000), PriorityClass("pushy", 5, preempts=True)])
DEFAULT = PriorityClasses.of([PriorityClass("usual", 7, is_default=True), PriorityClass("high", 1000)])
NEVER, LOWER = Preemption.NEVER, Preemption.LOWER_PRIORITY

PODS = {
    "nothing": ({}, KNOWN, (0, NEVER), 0),
    "a number": ({"priority": 3}, KNOWN, (3, NEVER), 0),
    "a class": ({"priorityClassName": "high"}, KNOWN, (1000, NEVER), 0),
    "a number beside it": ({"priorityClassName": "high", "priority": 3}, KNOWN, (3, NEVER), 0),
    "a class that preempts": ({"priorityClassName": "pushy"}, KNOWN, (5, LOWER), 0),
    "a policy goes first": ({"priorityClassName": "pushy", "preemptionPolicy": "Never"}, KNOWN, (5, NEVER), 0),
    "a policy": ({"preemptionPolicy": "PreemptLowerPriority"}, KNOWN, (0, LOWER), 0),
    "an unknown class": ({"priorityClassName": "low"}, KNOWN, (0, NEVER), 1),
    "an unknown class and a number": ({"priorityClassName": "low", "priority": 2}, KNOWN, (2, NEVER), 0),
    "of Kubernetes": ({"priorityClassName": "system-node-critical"}, NO_CLASSES, (2_000_001_000, NEVER), 0),
    "the usual one": ({}, DEFAULT, (7, NEVER), 0),
    "another than the usual one": ({"priorityClassName": "high"}, DEFAULT, (1000, NEVER), 0),
    "an unknown one is not the usual one": ({"priorityClassName": "low"}, DEFAULT, (0, NEVER), 1),
}


@pytest.mark.parametrize(("spec", "classes", "found", "warnings"), PODS.values(), ids=PODS)
def test_priority_of_a_pod(spec, classes, found, warnings):
    fields = opened(spec)

    assert read_priority(fields, classes) == found
    assert len(fields.findings.warnings) == warnings
    assert not fields.findings.errors


def test_a_class():
    fields = opened(
        {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": "high"},
            "value": -5,
            "globalDefault": True,
            "preemptionPolicy": "PreemptLowerPriority",
            "description": "x",
        }
    )

    assert collect_priority_class(fields) == PriorityClass("high", -5, is_default=True, preempts=True)
    assert not fields.findings.warnings


WRONG = {
    "no name": ({"value": 1}, ["metadata.name"]),
    "a value": ({"metadata": {"name": "x"}, "value": "high"}, ["value"]),
    "a default": ({"metadata": {"name": "x"}, "globalDefault": 1}, ["globalDefault"]),
}


@pytest.mark.parametrize(("data", "where"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_has_its_place(data, where):
    fields = opened(data)
    collect_priority_class(fields)

    assert places(fields) == where
