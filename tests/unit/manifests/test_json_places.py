"""Every value of a JSON text is found where it stands."""

from __future__ import annotations

import json

from bayplan.manifests.json_places import JsonPlaces

TEXT = b"""
{ "a" : [ 1, "]", { "x\\"y" : null } ],
  "\\u0062": {"c": {"d": "{", "e": -1.5e3}},
  "f": [[], {}, [[2]]]
}
"""


def at(*steps) -> str:
    offset = JsonPlaces(TEXT).offset(steps)
    return TEXT[offset : offset + 6].decode()


def test_offsets():
    assert at() == '{ "a" '
    assert at("a") == '"a" : '
    assert at("a", 1) == '"]", {'
    assert at("a", 2, 'x"y') == '"x\\"y"'
    assert at("b", "c", "e") == '"e": -'
    assert at("f", 2, 0, 0) == "2]]]\n}"


def test_the_nearest_thing_around_what_is_missing():
    assert at("b", "c", "x", "y") == '"c": {'
    assert at("f", 9) == '"f": ['
    assert at("x") == at()


def test_lines_in_any_order():
    places = JsonPlaces(TEXT)

    assert [places.line(steps) for steps in [("f",), ("a",), ("b", "c"), ("f", 2), ()]] == [4, 2, 3, 4, 2]


def test_the_last_of_two_keys():
    data = b'{"a": {"k": 1, "l": {"k": 2}, "\\u006b": 3, "m": 4}}'

    assert JsonPlaces(data).offset_of_last(("a",), "k") == data.index(b'"\\u006b"')


def test_pretty_printing_changes_only_lines():
    value = json.loads(TEXT)
    pretty = json.dumps(value, indent=1).encode()

    assert JsonPlaces(pretty).line(("f", 2, 0, 0)) == pretty[: pretty.rindex(b"2")].count(b"\n") + 1
