"""Refusals say what was expected, what was found, and what to do."""

import pytest

from bayplan.control.store import Collection, Key, Stored
from bayplan.stores.refusals import expired, lost_race, missing, stale
from bayplan.stores.shelf import Write

KEY = Key(Collection("g", "pools"), "d", "x")
CASES = {
    "missing": (missing(KEY), "not-found", "pools.g d/x: not found"),
    "stale": (stale(KEY, 3, 5), "conflict", "revision 3 was expected, 5 is stored"),
    "a name that is taken": (lost_race(Write(KEY, {}), Stored(b"", 5)), "already-exists", "choose another name"),
    "a lost race": (lost_race(Write(KEY, {}, Stored(b"", 3)), Stored(b"", 5)), "conflict", "revision 3 was expected"),
    "gone meanwhile": (lost_race(Write(KEY, {}, Stored(b"", 3)), None), "conflict", "revision 3 was expected, none is"),
    "too old": (expired(3, 10, 20), "expired", "revision 3 is not kept: the history reaches from 10 to 20; list again"),
}  # fmt: skip


@pytest.mark.parametrize(("error", "code", "text"), CASES.values(), ids=CASES)
def test_words(error, code, text):
    assert error.code == code
    assert text in str(error)
