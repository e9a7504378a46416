"""Places of errors are put together from the outside in."""

from __future__ import annotations

import pytest

from bayplan.cluster.places import join, repeated, within
from bayplan.framework.errors import InputError

JOINED = {
    "two fields": ("workers[3]", "gpus[0].memory", "workers[3].gpus[0].memory"),
    "an entry of the outer": ("links", "[2][3]", "links[2][3]"),
    "no outer": ("", "memory", "memory"),
    "no inner": ("model.draft", "", "model.draft"),
    "neither": ("", "", ""),
}


@pytest.mark.parametrize(("outer", "inner", "whole"), JOINED.values(), ids=JOINED)
def test_join(outer, inner, whole):
    assert join(outer, inner) == whole


def test_within_puts_its_place_in_front_and_keeps_the_rest():
    with pytest.raises(InputError) as caught, within("workers[3]"), within("gpus[0]"):
        raise InputError("-1 is negative", place="memory", next="write more")

    assert str(caught.value) == "workers[3].gpus[0].memory: -1 is negative; write more"
    assert caught.value.__cause__ is None


def test_within_lets_other_errors_and_no_error_pass():
    with pytest.raises(KeyError), within("workers[3]"):
        raise KeyError("x")
    with within("workers[3]"):
        pass


REPEATED = {
    "none": (["a", "b"], None),
    "empty": ([], None),
    "the first that repeats": (["a", "b", "c", "b", "a"], (3, "b")),
    "numbers": ([0, 0], (1, 0)),
}


@pytest.mark.parametrize(("keys", "found"), REPEATED.values(), ids=REPEATED)
def test_repeated(keys, found):
    assert repeated(iter(keys)) == found
