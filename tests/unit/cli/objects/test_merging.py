import pytest

from bayplan.cli.objects.merging import merge_difference, merged

CASES = {
    "nothing":          ({"a": 1}, {"a": 1}, {}),
    "a changed value":  ({"a": 1, "b": 2}, {"a": 3, "b": 2}, {"a": 3}),
    "a removed field":  ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1}}, {"a": {"c": None}}),
    "an added field":   ({}, {"a": {"b": 1}}, {"a": {"b": 1}}),
    "lists as a whole": ({"a": [1, 2]}, {"a": [1]}, {"a": [1]}),
    "another type":     ({"a": {"b": 1}}, {"a": "b"}, {"a": "b"}),
}  # fmt: skip


@pytest.mark.parametrize(("before", "after", "patch"), CASES.values(), ids=CASES)
def test_the_difference_turns_one_into_the_other(before, after, patch):
    assert merge_difference(before, after) == patch
    assert merged(before, patch) == after


def test_a_patch_keeps_what_it_does_not_name():
    assert merged({"a": {"b": 1}, "c": 2}, {"a": {"d": 3}}) == {"a": {"b": 1, "d": 3}, "c": 2}
