"""Selectors, taints and tolerations."""

from __future__ import annotations

import pytest

from bayplan.cluster.selector import Operator, Requirement, Selector
from bayplan.cluster.taint import Taint, TaintEffect, Toleration
from bayplan.manifests.native.labels import read_selector, read_taints, read_tolerations
from unit.manifests.opened import opened, places

SELECTORS = {
    "none": (None, Selector()),
    "an empty one": ({}, Selector()),
    "labels": ({"matchLabels": {"b": 2, "a": "x"}}, Selector.of_labels({"a": "x", "b": "2"})),
    "expressions after labels": (
        {"matchLabels": {"z": "1"}, "matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["x"]}]},
        Selector((Requirement("z", Operator.IN, ("1",)), Requirement("a", Operator.NOT_IN, ("x",)))),
    ),
    "no values needed": (
        {"matchExpressions": [{"key": "a", "operator": "Exists"}]},
        Selector((Requirement("a", Operator.EXISTS),)),
    ),
    "no values needed, null given": (
        {"matchExpressions": [{"key": "a", "operator": "Exists", "values": None}]},
        Selector((Requirement("a", Operator.EXISTS),)),
    ),
}


@pytest.mark.parametrize(("data", "selector"), SELECTORS.values(), ids=SELECTORS)
def test_selector(data, selector):
    fields = opened({"selector": data})

    assert read_selector(fields) == selector
    assert not fields.findings.errors


BAD_SELECTORS = {
    "no operator": ([{"key": "a"}], ["selector.matchExpressions[0].operator"]),
    "an unknown operator": ([{"key": "a", "operator": "Like"}], ["selector.matchExpressions[0].operator"]),
    "no key": ([{"operator": "Exists"}], ["selector.matchExpressions[0].key"]),
    "In without values": ([{"key": "a", "operator": "In"}], ["selector.matchExpressions[0].values"]),
    "a value that is no text": (
        [{"key": "a", "operator": "In", "values": ["x", 1.5]}],
        ["selector.matchExpressions[0].values[1]"],
    ),
    "values that are no list": (
        [{"key": "a", "operator": "In", "values": "x"}],
        ["selector.matchExpressions[0].values"],
    ),
    "two at once": (
        [{"key": "a", "operator": "Like"}, {"key": "a", "operator": "Gt", "values": ["x"]}],
        ["selector.matchExpressions[0].operator", "selector.matchExpressions[1].values"],
    ),
}


@pytest.mark.parametrize(("expressions", "where"), BAD_SELECTORS.values(), ids=BAD_SELECTORS)
def test_selector_refused(expressions, where):
    fields = opened({"selector": {"matchExpressions": expressions}})
    read_selector(fields)

    assert places(fields) == where


def test_a_misspelt_part_of_a_selector_is_told():
    fields = opened({"selector": {"matchLabel": {"a": "b"}}})
    read_selector(fields)

    assert "did you mean 'matchLabels'?" in fields.findings.warnings[0]


def test_taints():
    fields = opened({"taints": [{"key": "a", "effect": "NoSchedule", "timeAdded": "x"}, {"key": "b", "effect": "No"}]})

    assert read_taints(fields) == (Taint("a", TaintEffect.NO_SCHEDULE),)
    assert places(fields) == ["taints[1].effect"]


def test_tolerations():
    given = [
        {"operator": "Exists"},
        {"key": "a", "value": "b", "effect": "", "tolerationSeconds": 30},
        {"key": "a", "operator": "Exists", "effect": "NoExecute"},
    ]
    fields = opened({"tolerations": given})

    assert read_tolerations(fields) == (
        Toleration(operator="Exists"),
        Toleration("a", value="b", seconds=30.0),
        Toleration("a", "Exists", effect=TaintEffect.NO_EXECUTE),
    )
    assert not fields.findings.errors


BAD_TOLERATIONS = {
    "no key": ({"value": "x"}, ["tolerations[0].key"]),
    "an unknown operator": ({"key": "a", "operator": "In"}, ["tolerations[0].operator"]),
    "a value that does not count": ({"key": "a", "operator": "Exists", "value": "x"}, ["tolerations[0].value"]),
    "an unknown effect": ({"key": "a", "effect": "Never"}, ["tolerations[0].effect"]),
}


@pytest.mark.parametrize(("toleration", "where"), BAD_TOLERATIONS.values(), ids=BAD_TOLERATIONS)
def test_toleration_refused(toleration, where):
    fields = opened({"tolerations": [toleration]})
    read_tolerations(fields)

    assert places(fields) == where
