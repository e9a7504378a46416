"""Strategic merge patches, case by case; the results were compared with those of kubectl."""

import copy

import pytest

from bayplan.api.patches.field_rules import UNTYPED
from bayplan.api.patches.strategic_merge import strategic_merge
from bayplan.api.status import Refusal
from kube_rules import DEPLOYMENT, POD, SERVICE


def pod(*containers, **spec):
    return {"spec": {"containers": [{"name": each} if isinstance(each, str) else each for each in containers]} | spec}


def env(**values):
    return [{"name": name, "value": value} for name, value in values.items()]


DELETE = {"$patch": "delete"}
CONTAINERS = {
    "an item is merged by its key": (
        pod({"name": "a", "image": "1", "tty": True}),
        pod({"name": "a", "image": "2"}),
        pod({"name": "a", "image": "2", "tty": True}),
    ),
    "a new item comes first": (pod("a", "b"), pod("c"), pod("c", "a", "b")),
    "items of the patch are ordered as in the patch": (pod("a", "b", "c"), pod("c", "a"), pod("b", "c", "a")),
    "other items stay before those that they preceded": (pod("a", "b", "c"), pod("c"), pod("a", "b", "c")),
    "a new item before an old one": (pod("a", "b"), pod("x", "b"), pod("x", "a", "b")),
    "an item is deleted": (pod("a", "b"), pod({"name": "a"} | DELETE), pod("b")),
    "an unknown item is deleted": (pod("a"), pod({"name": "z"} | DELETE), pod("a")),
    "deleted and added": (pod({"name": "a", "tty": True}), pod({"name": "a"} | DELETE, {"name": "a"}), pod("a")),
    "all items are deleted": (pod("a"), pod({"name": "a"} | DELETE), pod()),
    "the list is replaced": (pod("a", "b"), pod({"$patch": "replace"}, "c"), pod("c")),
    "an item is replaced": (
        pod({"name": "a", "tty": True}, "b"),
        pod({"name": "a", "image": "1", "$patch": "replace"}),
        pod(),
    ),
    "null deletes a field of an item": (pod({"name": "a", "image": "1"}), pod({"name": "a", "image": None}), pod("a")),
    "nulls of a new item are dropped": (pod(), pod({"name": "a", "image": None}), pod("a")),
    "lists inside items": (
        pod({"name": "a", "env": env(X="1", Y="2")}),
        pod({"name": "a", "env": env(Y="3", Z="4")}),
        pod({"name": "a", "env": env(X="1", Y="3", Z="4")}),
    ),
    "lists without merge key are replaced": (
        pod({"name": "a", "args": ["x"]}),
        pod({"name": "a", "args": ["y"]}),
        pod({"name": "a", "args": ["y"]}),
    ),
    "retained keys of an item": (
        pod({"name": "a", "image": "1", "tty": True}),
        pod({"name": "a", "image": "2", "$retainKeys": ["name", "image"]}),
        pod({"name": "a", "image": "2"}),
    ),
    "a given order": (
        pod("a", "b", "c"),
        {"spec": {"$setElementOrder/containers": [{"name": "c"}, {"name": "a"}]}},
        pod("b", "c", "a"),
    ),
    "a given order with a change": (
        pod("a", "b"),
        {
            "spec": {
                "$setElementOrder/containers": [{"name": "b"}, {"name": "a"}],
                "containers": [{"name": "a", "tty": True}],
            }
        },
        pod("b", {"name": "a", "tty": True}),
    ),
    "a given order with a deletion": (
        pod("a", "b", "c"),
        {
            "spec": {
                "$setElementOrder/containers": [{"name": "c"}, {"name": "b"}],
                "containers": [{"name": "a"} | DELETE],
            }
        },
        pod("c", "b"),
    ),
    "a given order of a new list": (
        {"spec": {}},
        {
            "spec": {
                "$setElementOrder/containers": [{"name": "b"}, {"name": "a"}],
                "containers": [{"name": "b"}, {"name": "a"}],
            }
        },
        pod("b", "a"),
    ),
    "a given order of nothing": (
        {"spec": {}},
        {"spec": {"$setElementOrder/containers": [{"name": "a"}]}},
        {"spec": {}},
    ),
    "a given order of an empty list": (pod(), {"spec": {"$setElementOrder/containers": []}}, pod()),
    "null deletes a list": (pod("a"), {"spec": {"containers": None}}, {"spec": {}}),
    "a list that was missing": ({"spec": {}}, pod("a", {"name": "b"} | DELETE), pod("a")),
    "the same port with another protocol": (
        pod({"name": "a", "ports": [{"containerPort": 1, "protocol": "UDP"}]}),
        pod({"name": "a", "ports": [{"containerPort": 1, "protocol": "TCP"}]}),
        pod({"name": "a", "ports": [{"containerPort": 1, "protocol": "TCP"}]}),
    ),
}

MAPS = {
    "labels are merged": (
        {"metadata": {"labels": {"a": "1", "b": "2"}}},
        {"metadata": {"labels": {"b": None, "c": "3"}}},
        {"metadata": {"labels": {"a": "1", "c": "3"}}},
    ),
    "labels are replaced": (
        {"metadata": {"labels": {"a": "1"}}},
        {"metadata": {"labels": {"b": "2", "$patch": "replace"}}},
        {"metadata": {"labels": {"b": "2"}}},
    ),
    "labels are deleted": (
        {"metadata": {"labels": {"a": "1"}}},
        {"metadata": {"labels": DELETE}},
        {"metadata": {"labels": {}}},
    ),
    "unknown labels are deleted": ({"metadata": {}}, {"metadata": {"labels": DELETE}}, {"metadata": {}}),
    "a scalar is deleted by a directive": (
        {"metadata": {"labels": 1}},
        {"metadata": {"labels": DELETE}},
        {"metadata": {}},
    ),
    "a map that one manager owns is merged here": (
        {"spec": {"nodeSelector": {"a": "1"}}},
        {"spec": {"nodeSelector": {"b": "2"}}},
        {"spec": {"nodeSelector": {"a": "1", "b": "2"}}},
    ),
    "scalars are joined": (
        {"metadata": {"finalizers": ["a", "b"]}},
        {"metadata": {"finalizers": ["c", "b"]}},
        {"metadata": {"finalizers": ["c", "a", "b"]}},
    ),
    "scalars are deleted": (
        {"metadata": {"finalizers": ["a", "b"]}},
        {"metadata": {"$deleteFromPrimitiveList/finalizers": ["b", "z"]}},
        {"metadata": {"finalizers": ["a"]}},
    ),
    "scalars of nothing are deleted": (
        {"metadata": {}},
        {"metadata": {"$deleteFromPrimitiveList/finalizers": ["b"]}},
        {"metadata": {}},
    ),
    "scalars are deleted, added and ordered": (
        {"metadata": {"finalizers": ["a", "b"]}},
        {
            "metadata": {
                "$deleteFromPrimitiveList/finalizers": ["a"],
                "$setElementOrder/finalizers": ["c", "b"],
                "finalizers": ["c"],
            }
        },
        {"metadata": {"finalizers": ["c", "b"]}},
    ),
    "another type replaces": (
        {"metadata": {"labels": ["x"]}},
        {"metadata": {"labels": {"a": None}}},
        {"metadata": {"labels": {}}},
    ),
    "the whole document": (
        {"metadata": {"name": "a"}, "spec": {}},
        {"$patch": "replace", "metadata": {"name": "b"}},
        {"metadata": {"name": "b"}},
    ),
    "directives in a new map": (
        {},
        {"spec": {"$setElementOrder/containers": [{"name": "a"}], "containers": [{"name": "a"}]}},
        pod("a"),
    ),
}

REFUSED = {
    "no merge key": (
        pod("a"),
        pod({"image": "1"}),
        422,
        "spec.containers: an item does not contain declared merge key: name",
    ),
    "no merge key in the object": (pod({"image": "1"}), pod("a"), 422, "spec.containers: an item does not contain"),
    "no merge key in the order": (
        pod("a"),
        {"spec": {"$setElementOrder/containers": [{}]}},
        422,
        "does not contain declared",
    ),
    "no merge key of a deletion": (pod("a"), pod({"image": "1"} | DELETE), 422, "does not contain declared merge key"),
    "a scalar among maps": (pod("a"), {"spec": {"containers": ["b"]}}, 422, "list element types are not identical"),
    "lists of lists": (pod("a"), {"spec": {"containers": [[]]}}, 422, "lists of lists are not supported"),
    "a map as merge key": (pod("a"), pod({"name": {}}), 422, "a merge key is a scalar"),
    "unknown directive": (pod("a"), {"spec": {"$patch": "drop"}}, 422, "spec: unknown patch type: 'drop'"),
    "unknown directive of an item": (
        pod("a"),
        pod({"name": "a", "$patch": "merge"}),
        422,
        "unknown patch type: 'merge'",
    ),
    "retained keys without a key of the patch": (
        pod("a"),
        {"spec": {"$retainKeys": ["x"], "hostname": "h"}},
        400,
        "spec: invalid patch format of retainKeys",
    ),
    "retained keys of another type": (
        pod("a"),
        {"spec": {"$retainKeys": "x"}},
        400,
        "invalid patch format of retainKeys",
    ),
    "order of another type": (
        pod("a"),
        {"spec": {"$setElementOrder/containers": {}}},
        400,
        "invalid patch format of setElementOrder",
    ),
    "order without a field": (pod("a"), {"spec": {"$setElementOrder": []}}, 400, "is written $setElementOrder/FIELD"),
    "deletion without a field": (
        pod("a"),
        {"spec": {"$deleteFromPrimitiveList": []}},
        400,
        "is written $setElementOrder/FIELD",
    ),
    "another order": (
        pod("a"),
        {"spec": {"$setElementOrder/containers": [{"name": "b"}], "containers": [{"name": "c"}]}},
        422,
        "does not match $setElementOrder",
    ),
}

CASES = CONTAINERS | MAPS


@pytest.mark.parametrize(("document", "patch", "result"), CASES.values(), ids=CASES)
def test_strategic_merge(document, patch, result):
    before = copy.deepcopy((document, patch))

    assert strategic_merge(document, patch, POD) == result
    assert (document, patch) == before


@pytest.mark.parametrize(("document", "patch", "code", "text"), REFUSED.values(), ids=REFUSED)
def test_refusals(document, patch, code, text):
    with pytest.raises(Refusal) as refusal:
        strategic_merge(document, patch, POD)

    assert refusal.value.code == code
    assert text in refusal.value.message


def test_ports_of_services_are_merged_by_port_alone():
    service = {"spec": {"ports": [{"port": 53, "protocol": "UDP"}, {"port": 53, "protocol": "TCP"}]}}

    patched = strategic_merge(service, {"spec": {"ports": [{"port": 53, "name": "dns"}]}}, SERVICE)

    assert patched["spec"]["ports"] == [
        {"port": 53, "protocol": "UDP", "name": "dns"},
        {"port": 53, "protocol": "TCP"},
    ]


def test_the_strategy_of_a_deployment_is_replaced_by_retained_keys():
    deployment = {"spec": {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}}}
    patch = {"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}}

    assert strategic_merge(deployment, patch, DEPLOYMENT) == {"spec": {"strategy": {"type": "Recreate"}}}


def test_without_rules_it_is_a_merge_patch():
    assert strategic_merge(pod("a"), pod("b"), UNTYPED) == pod("b")
