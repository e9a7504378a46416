"""Every operation of RFC 6902, its errors with their paths, and the bounds on hostile patches."""

import copy

import pytest

from bayplan.api.patches.json_patch import MOST_OPERATIONS, json_patch
from bayplan.api.status import Refusal

DOCUMENT = {"a": {"b": [1, 2, 3]}, "x/y": {"~": True}, "n": None, "one": 1}

DONE = {
    "add a field": ([{"op": "add", "path": "/a/c", "value": 4}], ["a", "c"], 4),
    "add replaces a field": ([{"op": "add", "path": "/one", "value": 2}], ["one"], 2),
    "add in a list": ([{"op": "add", "path": "/a/b/1", "value": 9}], ["a", "b"], [1, 9, 2, 3]),
    "add at the length of a list": ([{"op": "add", "path": "/a/b/3", "value": 9}], ["a", "b"], [1, 2, 3, 9]),
    "add at the end of a list": ([{"op": "add", "path": "/a/b/-", "value": 9}], ["a", "b"], [1, 2, 3, 9]),
    "add null": ([{"op": "add", "path": "/a/c", "value": None}], ["a", "c"], None),
    "remove a field": ([{"op": "remove", "path": "/a/b"}], ["a"], {}),
    "remove from a list": ([{"op": "remove", "path": "/a/b/0"}], ["a", "b"], [2, 3]),
    "replace a field": ([{"op": "replace", "path": "/a/b", "value": {}}], ["a", "b"], {}),
    "replace in a list": ([{"op": "replace", "path": "/a/b/2", "value": "c"}], ["a", "b"], [1, 2, "c"]),
    "replace a field that is missing": ([{"op": "replace", "path": "/a/q", "value": 1}], ["a", "q"], 1),
    "test that a field is missing": ([{"op": "test", "path": "/a/q", "value": None}], ["one"], 1),
    "test for null": ([{"op": "test", "path": "/n", "value": None}], ["one"], 1),
    "replace null": ([{"op": "replace", "path": "/n", "value": 1}], ["n"], 1),
    "replace everything": ([{"op": "replace", "path": "", "value": {"z": 1}}], [], {"z": 1}),
    "move": ([{"op": "move", "from": "/a/b/0", "path": "/a/b/-"}], ["a", "b"], [2, 3, 1]),
    "move to the same place": ([{"op": "move", "from": "/one", "path": "/one"}], ["one"], 1),
    "copy": ([{"op": "copy", "from": "/a", "path": "/a/c"}], ["a", "c"], {"b": [1, 2, 3]}),
    "escapes": ([{"op": "replace", "path": "/x~1y/~0", "value": 1}], ["x/y", "~"], 1),
    "test then change": ([{"op": "test", "path": "/one", "value": 1.0}, {"op": "remove", "path": "/n"}], ["one"], 1),
    "unknown members are ignored": ([{"op": "add", "path": "/q", "value": 1, "note": "x"}], ["q"], 1),
}

REFUSED = {
    "no list": ({"op": "add"}, 400, "a JSON patch is a list of operations"),
    "no map": (["add"], 400, "operation 0: an operation is a map with op and path"),
    "unknown op": ([{"op": "put", "path": "/a"}], 400, "op is none of add, copy, move, remove, replace, test"),
    "op of another type": ([{"op": [], "path": "/a"}], 400, "op is none of"),
    "no value": ([{"op": "add", "path": "/a"}], 400, "add needs a value"),
    "no path": ([{"op": "remove"}], 400, "operation 0: path is missing or not a string"),
    "no from": ([{"op": "move", "path": "/a"}], 400, "operation 0: from is missing or not a string"),
    "relative path": ([{"op": "remove", "path": "a"}], 400, "path 'a' does not start with /"),
    "wrong escape": ([{"op": "remove", "path": "/~2"}], 400, "neither ~0 nor ~1"),
    "remove what is missing": (
        [{"op": "remove", "path": "/q"}],
        422,
        "operation 0 (remove /q): the object has no value at /q",
    ),
    "replace in a missing map": ([{"op": "replace", "path": "/q/r", "value": 1}], 422, "no value at /q"),
    "replace beyond a list": ([{"op": "replace", "path": "/a/b/3", "value": 1}], 422, "the list has no position 3"),
    "test in a missing map": ([{"op": "test", "path": "/q/r", "value": None}], 422, "no value at /q"),
    "null is not missing": ([{"op": "test", "path": "/one", "value": None}], 422, "test failed"),
    "no parent": ([{"op": "add", "path": "/q/r/s", "value": 1}], 422, "no value at /q"),
    "parent is a scalar": (
        [{"op": "add", "path": "/one/x", "value": 1}],
        422,
        "the value at /one is neither a map nor a list",
    ),
    "index beyond": ([{"op": "add", "path": "/a/b/4", "value": 1}], 422, "the list has no position 4"),
    "huge index": ([{"op": "add", "path": "/a/b/" + "9" * 5000, "value": 1}], 422, "the list has no position"),
    "leading zero": ([{"op": "remove", "path": "/a/b/01"}], 422, "'01' is no index of a list"),
    "negative index": ([{"op": "remove", "path": "/a/b/-1"}], 422, "'-1' is no index of a list"),
    "end of a list holds nothing": ([{"op": "remove", "path": "/a/b/-"}], 422, "'-' is no index of a list"),
    "remove everything": ([{"op": "remove", "path": ""}], 422, "the whole object cannot be removed"),
    "a scalar is left": ([{"op": "replace", "path": "", "value": 1}], 422, "what is left is not an object"),
    "move into itself": ([{"op": "move", "from": "/a", "path": "/a/b/0"}], 422, "cannot be moved into itself"),
    "move what is missing": ([{"op": "move", "from": "/q", "path": "/r"}], 422, "no value at /q"),
    "true is not 1": ([{"op": "test", "path": "/one", "value": True}], 422, "operation 0 (test /one): test failed"),
    "another list": ([{"op": "test", "path": "/a/b", "value": [1, 2]}], 422, "test failed"),
}


@pytest.mark.parametrize(("patch", "path", "value"), DONE.values(), ids=DONE)
def test_operations(patch, path, value):
    before = copy.deepcopy(DOCUMENT)

    found = json_patch(DOCUMENT, patch)

    for step in path:
        found = found[step]
    assert (found, type(found)) == (value, type(value))
    assert before == DOCUMENT


@pytest.mark.parametrize(("patch", "code", "text"), REFUSED.values(), ids=REFUSED)
def test_refusals(patch, code, text):
    before = copy.deepcopy(DOCUMENT)

    with pytest.raises(Refusal) as refusal:
        json_patch(DOCUMENT, patch)

    assert refusal.value.code == code
    assert text in refusal.value.message
    assert before == DOCUMENT


def test_a_refusal_names_the_path_as_the_cause():
    with pytest.raises(Refusal) as refusal:
        json_patch(DOCUMENT, [{"op": "remove", "path": "/x~1y/z"}])

    assert refusal.value.causes[0].field == "/x~1y/z"


def test_the_patch_can_be_used_again():
    patch = [{"op": "add", "path": "/m", "value": {}}, {"op": "add", "path": "/m/k", "value": 1}]

    assert json_patch({}, patch) == json_patch({}, patch) == {"m": {"k": 1}}


def test_too_many_operations():
    patch = [{"op": "test", "path": "/a", "value": 1}] * (MOST_OPERATIONS + 1)

    with pytest.raises(Refusal) as refusal:
        json_patch({"a": 1}, patch)

    assert refusal.value.code == 413
    assert refusal.value.message.endswith("is 10000, got 10001")
    assert json_patch({"a": 1}, patch[1:]) == {"a": 1}


@pytest.mark.parametrize(
    "patch",
    [
        [{"op": "copy", "from": "/a", "path": "/a/-"}] * 200,
        [{"op": "copy", "from": "/a", "path": "/a/0"}] * 200,
        [{"op": "add", "path": "/a" + "/0" * 100, "value": []}],
        [{"op": "replace", "path": "/a", "value": [[[[0]]]]}]
        + [{"op": "move", "from": "/a", "path": "/b"}, {"op": "add", "path": "/a", "value": [0]}]
        + [{"op": "copy", "from": "/b", "path": "/b/0/0/0/0"}] * 100,
    ],
    ids=["doubling", "doubling and nesting", "long path", "nesting"],
)
def test_copies_of_copies_are_bounded(patch):
    with pytest.raises(Refusal) as refusal:
        json_patch({"a": ["x"]}, patch)

    assert refusal.value.code == 422


@pytest.mark.parametrize(
    "patch",
    [
        [{"op": "move", "from": "/a", "path": "/b/c"}, {"op": "move", "from": "/b/c", "path": "/a"}] * 5000,
        [{"op": "add", "path": "/a/0", "value": 1}] * 10_000,
        [{"op": "remove", "path": "/a/0"}, {"op": "add", "path": "/a/-", "value": 1}] * 5000,
    ],
    ids=["moves up and down", "insertions at the start", "removals at the start"],
)
def test_work_on_long_lists_is_bounded(patch):
    with pytest.raises(Refusal) as refusal:
        json_patch({"a": [0] * 100_000, "b": {}}, patch)

    assert refusal.value.code == 422
