import pytest

from bayplan.library.status.conditions import Condition, condition_of, conditions_of, holds, with_conditions

OLD = [
    {"type": "Ready", "status": "True", "reason": "A", "message": "", "lastTransitionTime": "t0"},
    {"type": "Foreign", "status": "True", "lastTransitionTime": "t0"},
    {"type": "Gone", "status": "True", "lastTransitionTime": "t0"},
]


def test_other_writers_conditions_stay_and_what_no_longer_holds_goes():
    found = with_conditions(OLD, [Condition("Ready", True, "B", "new")], ("Ready", "Gone"), "t1")

    assert found == [
        {"type": "Ready", "status": "True", "reason": "B", "message": "new", "lastTransitionTime": "t0"},
        OLD[1],
    ]


TRANSITIONS = {
    "the same": (True, "t0"),
    "it turns false": (False, "t1"),
    "it becomes unknown": (None, "t1"),
}  # fmt: skip


@pytest.mark.parametrize(("status", "moment"), TRANSITIONS.values(), ids=TRANSITIONS)
def test_the_time_moves_only_with_the_status(status, moment):
    (found, *_) = with_conditions(OLD, [Condition("Ready", status, "X")], ("Ready",), "t1")

    assert found["lastTransitionTime"] == moment
    assert found["status"] == {True: "True", False: "False", None: "Unknown"}[status]


def test_updates_have_a_time_of_their_own():
    first = with_conditions([], [Condition("A", True, "x", "1")], ("A",), "t0", updates=True)
    same = with_conditions(first, [Condition("A", True, "x", "1")], ("A",), "t1", updates=True)
    other = with_conditions(first, [Condition("A", True, "x", "2")], ("A",), "t1", updates=True)

    assert first == same
    assert (other[0]["lastUpdateTime"], other[0]["lastTransitionTime"]) == ("t1", "t0")


@pytest.mark.parametrize("status", [None, [], {"conditions": None}, {"conditions": ["odd"]}])
def test_documents_without_conditions(status):
    document = {"status": status}

    assert conditions_of(document) == []
    assert condition_of(document, "Ready") == {}
    assert not holds(document, "Ready")
