"""The examples of RFC 7386, as far as documents are maps, and what Kubernetes does with nulls in lists."""

import pytest

from bayplan.api.patches.merge_patch import merge_patch

CASES = {
    "replace": ({"a": "b"}, {"a": "c"}, {"a": "c"}),
    "add": ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
    "delete": ({"a": "b"}, {"a": None}, {}),
    "delete one of two": ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
    "a list becomes a scalar": ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
    "a scalar becomes a list": ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
    "inside a map": ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
    "lists are replaced": ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
    "null in a list stays": ({"e": None}, {"a": [None]}, {"e": None, "a": [None]}),
    "null in a map of a list goes": ({}, {"a": [{"b": None, "c": 1}]}, {"a": [{"c": 1}]}),
    "nulls of a new map": ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    "a scalar becomes a map": ({"a": 1}, {"a": {"b": None, "c": 1}}, {"a": {"c": 1}}),
}


@pytest.mark.parametrize(("document", "patch", "result"), CASES.values(), ids=CASES)
def test_merge_patch(document, patch, result):
    assert merge_patch(document, patch) == result


def test_results_share_nothing_with_the_patch():
    patch = {"a": {"b": [1]}}

    merge_patch({}, patch)["a"]["b"].append(2)

    assert patch == {"a": {"b": [1]}}
