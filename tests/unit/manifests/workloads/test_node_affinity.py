"""Which workers a Pod allows."""

from __future__ import annotations

import pytest

from bayplan.cluster.selector import Operator, Requirement, Selector
from bayplan.manifests.workloads.node_affinity import read_pod_selector
from unit.manifests.opened import opened, places

A_IN_X = {"key": "a", "operator": "In", "values": ["x"]}
A_IN_Y = {"key": "a", "operator": "In", "values": ["y", "x"]}
B_IN_Y = {"key": "b", "operator": "In", "values": ["y"]}
A_EXISTS = {"key": "a", "operator": "Exists"}


def affinity(*terms, **others):
    required = {"nodeSelectorTerms": [{"matchExpressions": term} for term in terms]}
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required} | others}}


SELECTORS = {
    "none": ({}, Selector()),
    "a node selector": ({"nodeSelector": {"a": "x"}}, Selector.of_labels({"a": "x"})),
    "one term": (
        affinity([A_IN_X, A_EXISTS]),
        Selector((Requirement("a", Operator.IN, ("x",)), Requirement("a", Operator.EXISTS))),
    ),
    "both": (
        {"nodeSelector": {"z": "1"}} | affinity([A_EXISTS]),
        Selector.of_labels({"z": "1"}, Requirement("a", Operator.EXISTS)),
    ),
    "alternatives of one label": (
        affinity([A_IN_X], [A_IN_Y]),
        Selector((Requirement("a", Operator.IN, ("x", "y")),)),
    ),
}


@pytest.mark.parametrize(("spec", "selector"), SELECTORS.values(), ids=SELECTORS)
def test_selector(spec, selector):
    fields = opened(spec)

    assert read_pod_selector(fields) == selector
    assert not fields.findings.errors
    assert not fields.findings.warnings


TOLD = {
    "alternatives of two labels": affinity([A_IN_X], [B_IN_Y]),
    "alternatives that are not only In": affinity([A_IN_X], [A_EXISTS]),
    "alternatives of several conditions": affinity([A_IN_X, B_IN_Y], [A_IN_X]),
    "wishes": affinity(preferredDuringSchedulingIgnoredDuringExecution=[{"weight": 1}]),
    "other pods": {"affinity": {"podAntiAffinity": {}}},
    "fields": {
        "affinity": {
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {
                    "nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name"}]}]
                }
            }
        }
    },
}


@pytest.mark.parametrize("spec", TOLD.values(), ids=TOLD)
def test_what_a_selector_cannot_say_is_told(spec):
    fields = opened(spec)

    assert read_pod_selector(fields) == Selector()
    assert len(fields.findings.warnings) == 1
    assert fields.findings.warnings[0].startswith("doc: affinity.")


def test_refused():
    fields = opened(affinity([{"key": "a", "operator": "Like"}]))
    read_pod_selector(fields)

    where = "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]"
    assert places(fields) == [f"{where}.matchExpressions[0].operator"]
