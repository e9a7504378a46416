"""The algebra of field sets in the form FieldsV1."""

import orjson
import pytest

from bayplan.api.patches.field_sets import (
    difference,
    intersection,
    is_field_set,
    key_element,
    paths,
    union,
    value_element,
    with_parents,
)
from kube_rules import POD

LEAF = {}
WHOLE = {".": {}, "f:b": {}}  # a and a.b
BELOW = {"f:b": {}}  # a.b alone

SETS = {
    "equal leaves": (LEAF, LEAF, LEAF, None, LEAF),
    "leaf and what is below": (LEAF, BELOW, WHOLE, LEAF, None),
    "what is below and leaf": (BELOW, LEAF, WHOLE, BELOW, None),
    "leaf and both": (LEAF, WHOLE, WHOLE, None, LEAF),
    "both and leaf": (WHOLE, LEAF, WHOLE, BELOW, LEAF),
    "both and what is below": (WHOLE, BELOW, WHOLE, LEAF, BELOW),
    "what is below and both": (BELOW, WHOLE, WHOLE, None, BELOW),
    "different parts": (BELOW, {"f:c": {}}, {"f:b": {}, "f:c": {}}, BELOW, None),
}


def at_a(node):
    return {} if node is None else {"f:a": node}


@pytest.mark.parametrize(("left", "right", "joined", "rest", "shared"), SETS.values(), ids=SETS)
def test_algebra(left, right, joined, rest, shared):
    left, right = at_a(left), at_a(right)

    assert union(left, right) == at_a(joined)
    assert difference(left, right) == at_a(rest)
    assert intersection(left, right) == at_a(shared)


def test_paths_are_those_that_kubectl_shows():
    fields = {
        "f:spec": {
            "f:containers": {
                'k:{"containerPort":80,"protocol":"TCP"}': {".": {}, "f:name": {}},
                'k:{"name":"a"}': {"f:image": {}},
            },
            "f:replicas": {},
        },
        "f:metadata": {"f:finalizers": {'v:"x"': {}, "v:1": {}}, "f:labels": {"f:a.b/c": {}}},
        "f:list": {"i:3": {}},
    }

    assert list(paths(fields)) == [
        ".list[3]",
        '.metadata.finalizers[="x"]',
        ".metadata.finalizers[=1]",
        ".metadata.labels.a.b/c",
        ".spec.replicas",
        '.spec.containers[containerPort=80,protocol="TCP"]',
        '.spec.containers[containerPort=80,protocol="TCP"].name',
        '.spec.containers[name="a"].image',
    ]


def test_elements_are_written_as_in_go():
    assert key_element({"mountPath": "/a<b>&\u2028"}) == 'k:{"mountPath":"/a\\u003cb\\u003e\\u0026\\u2028"}'
    assert value_element("é") == 'v:"é"'
    assert value_element(value=True) == "v:true"


def test_parents_are_the_fields_that_the_schema_names():
    fields = {"f:spec": {"f:containers": {'k:{"name":"a"}': {"f:resources": {"f:limits": {"f:cpu": {}}}}}}}

    assert with_parents(fields, POD) == {
        "f:spec": {
            ".": {},
            "f:containers": {
                ".": {},
                'k:{"name":"a"}': {"f:resources": {".": {}, "f:limits": {".": {}, "f:cpu": {}}}},
            },
        }
    }


@pytest.mark.parametrize("wrong", [[], {"x": {}}, {"f:a": []}, {"k:[]": {}}, {"k:{": {}}, {"v:": {}}, {"i:x": {}}])
def test_what_is_no_field_set(wrong):
    assert not is_field_set({"f:a": {".": {}, "v:1": {}, 'k:{"a":1}': {}, "i:0": {}}} | {"f:b": wrong})


def test_what_is_a_field_set():
    assert is_field_set({"f:a": {".": {}, "v:1": {}, 'k:{"a":1}': {}, "i:0": {}}})


NAMES = ["plain", "", "a.io/b", 'with "quotes"', "back\\slash", "<&>", "\u2028", "tab\t", "\x7f", "Grüße", "𝄞"]


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_names_are_escaped_as_in_go(name):
    escaped = orjson.dumps(name).decode()
    for each in "<>&\u2028\u2029":
        escaped = escaped.replace(each, f"\\u{ord(each):04x}")

    assert value_element(name) == f"v:{escaped}"
    assert key_element({"name": name}) == f'k:{{"name":{escaped}}}'
    assert key_element({"name": name, "port": 1}) == f'k:{{"name":{escaped},"port":1}}'
