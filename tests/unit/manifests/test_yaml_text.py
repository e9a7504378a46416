"""YAML means what is written: anchors, merges, styles and tags."""

from __future__ import annotations

import pytest

from bayplan.framework.errors import InputError
from bayplan.manifests.limits import Limits
from bayplan.manifests.yaml_text import read_yaml

READ = {
    "anchor and alias": ("a: &x [1]\nb: *x\n", {"a": [1], "b": [1]}),
    "an anchor may be named again": ("[&x 1, *x, &x 2, *x]", [1, 1, 2, 2]),
    "alias of a null": ("a: &x\nb: *x", {"a": None, "b": None}),
    "alias as a key": ("a: &x k\n*x : 1", {"a": "k", "k": 1}),
    "merge": ("a: &x {b: 1, c: 1}\nd: {<<: *x, c: 2}", {"a": {"b": 1, "c": 1}, "d": {"c": 2, "b": 1}}),
    "merge of two": ("[&x {b: 1}, &y {b: 2, d: 2}, {<<: [*x, *y]}]", [{"b": 1}, {"b": 2, "d": 2}, {"b": 1, "d": 2}]),
    "merge of one written in place": ("a: {<<: {b: 1}}", {"a": {"b": 1}}),
    "a quoted << is a key": ('a: {"<<": 1}', {"a": {"<<": 1}}),
    "<< as a value is text": ("[<<]", ["<<"]),
    "merging does not change the source": ("[&x {b: 1}, {<<: *x, d: 2}, *x]", [{"b": 1}, {"b": 1, "d": 2}, {"b": 1}]),
    "quotes make text": ("['1', \"true\", ' ', \"\\t\"]", ["1", "true", " ", "\t"]),
    "!!str makes text": ("[!!str 1, !!str true, !!str ]", ["1", "true", ""]),
    "literal and folded": ("a: |\n  x\n  y\nb: >-\n  x\n  y\n", {"a": "x\ny\n", "b": "x y"}),
    "empty values": ("a:\nb: ''\nc: []", {"a": None, "b": "", "c": []}),
    "a text alone": ("hello", "hello"),
}  # fmt: skip


def read(text, **limits):
    return read_yaml(text, "f", Limits(**limits), len(text.encode()))


@pytest.mark.parametrize(("text", "value"), READ.values(), ids=READ)
def test_what_is_read(text, value):
    assert read(text) == [(0, value)]


LIMITS = {
    "nodes": ("[1, 2, 3]", {"nodes": 4}),
    "keys are nodes": ("{a: 1, b: 2}", {"nodes": 5}),
    "aliases count": ("[&x [1, 2], *x]", {"nodes": 7}),
    "merged keys count": ("[&x {a: 1}, {<<: *x}]", {"nodes": 7}),
    "depth": ("[[[]]]", {"depth": 3}),
    "depth through aliases": ("[&x [[]], [[*x]]]", {"depth": 5}),
    "repeated text": ("[&x abcd, *x, *x]", {"bytes_per_document": 8}),
    "events": ("[1, 2]", {"yaml_events_of_a_small_text": 8}),
    "digits": ("123", {"digits_per_integer": 3}),
}


@pytest.mark.parametrize(("text", "limit"), LIMITS.values(), ids=LIMITS)
def test_limits_are_exact(text, limit):
    assert read(text, **limit)
    with pytest.raises(InputError):
        read(text, **{name: value - 1 for name, value in limit.items()})
