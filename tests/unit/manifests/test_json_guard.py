"""The bulk checks never miss what must be refused, whatever the whitespace and the escapes."""

from __future__ import annotations

import json

import orjson
import pytest

from bayplan.manifests.json_guard import Copy, Survey, surely_holds_more_nodes
from bayplan.manifests.limits import DOCUMENT, Limits


def lacks_keys(text: str) -> bool:
    data = text.encode()
    return Copy(orjson.loads(data), data, DOCUMENT).lacks_keys(data, Survey(data).escaped_quotes)


KEYS = {
    "each once": ('{"a": 1, "b": {"a": 1}}', False),
    "twice": ('{"a": 1, "a": 1}', True),
    "twice, once escaped": ('{"a": 1, "\\u0061": 1}', True),
    "twice far inside": ('[[{"x": [{"a": "b", "a": "b"}]}]]', True),
    "quotes within strings": ('{"a": "\\"b\\"", "\\"": "\\\\\\""}', False),
    "quotes written as numbers": ('{"a": "\\u0022b\\u0022"}', False),
    "a backslash before u0022": ('{"a": "\\\\u0022"}', False),
    "twice, hidden by quotes written as numbers": ('{"a": "", "a": "\\u0022\\u0022\\u0022\\u0022"}', True),
    "whitespace before the colon": ('{"a" : 1, "b"\n:2}', False),
}  # fmt: skip


@pytest.mark.parametrize(("text", "is_lacking"), KEYS.values(), ids=KEYS)
def test_keys(text, is_lacking):
    assert lacks_keys(text) is is_lacking


CONTROLS = {
    "none": ('{"a": "b\\n\\t\\r\\u003c\\u00e9"}', None),
    "escaped": ('["ab\\u001b"]', (4, "U+001B")),
    "capital digits": ('["\\u001B"]', (2, "U+001B")),
    "short escape": ('["\\b"]', (2, "U+0008")),
    "a backslash before it": ('["\\\\u001b", "\\\\b"]', None),
    "two backslashes before it": ('["\\\\\\\\\\u001b"]', (6, "U+001B")),
    "delete": ('["\x7f"]', (2, "U+007F")),
    "c1": ('["\x9b"]', (2, "U+009B")),
    "next line is allowed": ('["\x85\\u0085"]', None),
}  # fmt: skip


@pytest.mark.parametrize(("text", "control"), CONTROLS.values(), ids=CONTROLS)
def test_controls(text, control):
    assert Survey(text.encode()).control == control


FLOATS = {
    "small": ([1.5, 1e15], False),
    "large": ([1e30], True),
    "in an object": ({"a": 1.25e19}, True),
    "64 bits": ([2**64 - 1, -(2**63)], False),
}


@pytest.mark.parametrize(("value", "is_huge"), FLOATS.values(), ids=FLOATS)
def test_huge_floats(value, is_huge):
    assert Copy(value, orjson.dumps(value), DOCUMENT).holds_huge_float() is is_huge


@pytest.mark.parametrize("digits", [20, 21, 30, 300])
def test_an_integer_beyond_64_bits_leaves_a_trace(digits):
    for text in (b"[1%b]" % (b"0" * digits), b"[-%b]" % (b"9" * digits)):
        assert Copy(orjson.loads(text), text, DOCUMENT).holds_huge_float()


@pytest.mark.parametrize("depth", [1, 2, 64, 200])
def test_depth_is_exact(depth):
    limits = Limits(depth=depth)

    for deep, is_written in ((depth, True), (depth + 1, False)):
        text = "[" * deep + "]" * deep
        assert (Copy(json.loads(text), text.encode(), limits).text is not None) is is_written


def test_brackets_in_texts_are_no_depth():
    text = orjson.dumps(["[" * 100])

    assert Copy(orjson.loads(text), text, Limits(depth=1)).text is not None


NODES = {
    "a list too long": ("[1,1,1,1,1,1]", 5, True),
    "a list that is not": ("[1,1,1,1]", 5, False),
    "commas in a text": ('["a,,,,,,,,,,,,,,,,"]', 5, False),
    "keys count": ('{"a":1,"b":1,"c":1}', 5, True),
    "nested lists": ("[[[[[[[[]]]]]]]]", 5, True),
}


@pytest.mark.parametrize(("text", "most", "is_more"), NODES.values(), ids=NODES)
def test_nodes(text, most, is_more):
    assert surely_holds_more_nodes(text.encode(), most) is is_more
