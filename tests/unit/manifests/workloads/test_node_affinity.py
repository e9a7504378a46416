"""Which workers a Pod allows."""

from __future__ import annotations

import pytest

from bayplan.cluster.selector import Operator, Requirement, Selector
from bayplan.manifests.workloads.node_affinity import read_allowed_workers
from unit.manifests.opened import opened, places

A_IN_X = {"key": "a", "operator": "In", "values": ["x"]}
A_IN_Y = {"key": "a", "operator": "In", "values": ["y", "x"]}
B_IN_Y = {"key": "b", "operator": "In", "values": ["y"]}
A_EXISTS = {"key": "a", "operator": "Exists"}
A_X, B_Y = Requirement("a", Operator.IN, ("x",)), Requirement("b", Operator.IN, ("y",))
A_SET = Requirement("a", Operator.EXISTS)


def required(*terms):
    key = "requiredDuringSchedulingIgnoredDuringExecution"
    return {"affinity": {"nodeAffinity": {key: {"nodeSelectorTerms": list(terms)}}}}


def affinity(*terms):
    return required(*({"matchExpressions": term} for term in terms))


def by_name(*names, operator="In"):
    return {"matchFields": [{"key": "metadata.name", "operator": operator, "values": list(names)}]}


SELECTORS = {
    "none": ({}, Selector()),
    "a node selector": ({"nodeSelector": {"a": "x"}}, Selector.of_labels({"a": "x"})),
    "one term": (affinity([A_IN_X, A_EXISTS]), Selector((A_X, A_SET))),
    "both": (
        {"nodeSelector": {"z": "1"}} | affinity([A_EXISTS]),
        Selector.of_labels({"z": "1"}, A_SET),
    ),
    "alternatives of one label": (
        affinity([A_IN_X], [A_IN_Y]),
        Selector((Requirement("a", Operator.IN, ("x", "y")),)),
    ),
    "alternatives of two labels": (affinity([A_IN_X], [B_IN_Y]), Selector((), ((A_X,), (B_Y,)))),
    "alternatives of several conditions": (
        {"nodeSelector": {"a": "x"}} | affinity([A_IN_X, B_IN_Y], [A_EXISTS]),
        Selector((A_X,), ((A_X, B_Y), (A_SET,))),
    ),
    "an empty term is no alternative": (affinity([], [A_IN_X]), Selector((A_X,))),
    "a node by field": (required(by_name("n1", "n2")), Selector((Requirement.of_name("n1", "n2"),))),
    "nodes by field are alternatives": (
        required(by_name("n1"), by_name("n2")),
        Selector((Requirement.of_name("n1", "n2"),)),
    ),
    "all nodes but one": (
        required(by_name("n1", operator="NotIn")),
        Selector((Requirement("metadata.name", Operator.NOT_IN, ("n1",), on_name=True),)),
    ),
    "a node by field, or a label": (
        required(by_name("n1"), {"matchExpressions": [A_EXISTS]}),
        Selector((), ((Requirement.of_name("n1"),), (A_SET,))),
    ),
    "Windows": ({"os": {"name": "windows"}}, Selector((Requirement("kubernetes.io/os", Operator.IN, ("windows",)),))),
    "Linux, or nothing said": (
        {"os": {"name": "linux"}},
        Selector((Requirement("kubernetes.io/os", Operator.NOT_IN, ("windows",)),)),
    ),
    "a node by name": ({"nodeName": "n1"}, Selector((Requirement.of_name("n1"),))),
}


@pytest.mark.parametrize(("spec", "selector"), SELECTORS.values(), ids=SELECTORS)
def test_selector(spec, selector):
    fields = opened(spec)

    assert read_allowed_workers(fields).selector == selector
    assert not read_allowed_workers(fields).unknown
    assert not fields.findings.errors
    assert not fields.findings.warnings


def test_preferences_are_told():
    preferred = {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1}]}
    fields = opened({"affinity": {"nodeAffinity": preferred}})

    assert read_allowed_workers(fields).selector == Selector()
    assert fields.findings.warnings[0].startswith("doc: affinity.nodeAffinity.preferred")


@pytest.mark.parametrize("spec", [required(), required({}), affinity([], [])])
def test_terms_without_conditions_allow_no_node(spec):
    assert "allows no node" in read_allowed_workers(opened(spec)).unknown


WHERE = "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]"
REFUSED = {
    "an operator": (affinity([{"key": "a", "operator": "Like"}]), f"{WHERE}.matchExpressions[0].operator"),
    "another field": (
        required({"matchFields": [{"key": "spec.x", "operator": "In", "values": ["a"]}]}),
        f"{WHERE}.matchFields[0]",
    ),
    "an operator on a name": (
        required({"matchFields": [{"key": "metadata.name", "operator": "Exists"}]}),
        f"{WHERE}.matchFields[0]",
    ),
}


@pytest.mark.parametrize(("spec", "place"), REFUSED.values(), ids=REFUSED)
def test_refused(spec, place):
    fields = opened(spec)
    read_allowed_workers(fields)

    assert places(fields) == [place]
