"""Taints of Nodes that are not ready."""

import pytest

from bayplan.control.nodes.taints import NOT_READY, UNREACHABLE, patience_s, with_taint

NOW = "2026-01-01T00:00:00Z"


def test_a_taint_is_set_once():
    node = with_taint({"spec": {}}, UNREACHABLE, NOW)

    assert [(each["key"], each["effect"]) for each in node["spec"]["taints"]] == [
        (UNREACHABLE, "NoSchedule"),
        (UNREACHABLE, "NoExecute"),
    ]
    assert with_taint(node, UNREACHABLE, "later") is node


def test_one_taint_takes_the_place_of_the_other():
    node = with_taint(with_taint({"spec": {}}, UNREACHABLE, NOW), NOT_READY, NOW)

    assert {each["key"] for each in node["spec"]["taints"]} == {NOT_READY}


def test_without_taints_the_field_is_gone():
    node = with_taint(with_taint({"spec": {"unschedulable": True}}, UNREACHABLE, NOW), "", NOW)

    assert node["spec"] == {"unschedulable": True}


PATIENCE = {
    "nothing is tolerated": ([], 300.0),
    "another taint is": ([{"key": "team", "operator": "Exists"}], 300.0),
    "this one, for ever": ([{"key": UNREACHABLE, "operator": "Exists"}], None),
    "this one, for a time": ([{"key": UNREACHABLE, "operator": "Exists", "tolerationSeconds": 5}], 5.0),
    "the shortest counts": (
        [{"operator": "Exists"}, {"key": UNREACHABLE, "operator": "Exists", "tolerationSeconds": 5}],
        5.0,
    ),
    "only not to be placed": ([{"key": UNREACHABLE, "operator": "Exists", "effect": "NoSchedule"}], 300.0),
    "no key and no operator": ([{"value": "x"}], 300.0),
}  # fmt: skip


@pytest.mark.parametrize(("tolerations", "seconds"), PATIENCE.values(), ids=PATIENCE)
def test_patience(tolerations, seconds):
    assert patience_s({"spec": {"tolerations": tolerations}}, UNREACHABLE, 300.0) == seconds
