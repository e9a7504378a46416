"""Requests: headers are found whatever their case."""

from __future__ import annotations

import pytest

from bayplan.cluster.request import Request

REQUEST = Request("r1", "llama", headers=(("X-Target", "a"), ("x-target", "b"), ("empty", "")))
HEADERS = {
    "as written": ("X-Target", "a"),
    "another case, the first one": ("x-TARGET", "a"),
    "an empty value": ("Empty", ""),
    "not there": ("x-other", None),
}


@pytest.mark.parametrize(("name", "value"), HEADERS.values(), ids=HEADERS)
def test_header(name, value):
    assert REQUEST.header(name) == value


def test_nothing_is_known_until_it_is_told():
    assert (REQUEST.prompt_tokens, REQUEST.priority, REQUEST.fairness_id) == (None, 0, "")
