"""Selectors: what Kubernetes' operators let through, and what they refuse to read."""

from __future__ import annotations

import pytest

from bayplan.cluster.selector import Miss, Operator, Requirement, Selector
from bayplan.framework.errors import InputError

LABELS = {"zone": "a", "cores": "16", "empty": "", "huge": "9" * 30}

HOLDS = {
    "In, listed": ("zone", "In", ["b", "a"], True),
    "In, not listed": ("zone", "In", ["b"], False),
    "In, no such label": ("rack", "In", ["a"], False),
    "In, an empty value": ("empty", "In", [""], True),
    "NotIn, listed": ("zone", "NotIn", ["a"], False),
    "NotIn, not listed": ("zone", "NotIn", ["b"], True),
    "NotIn, no such label": ("rack", "NotIn", ["a"], True),
    "Exists": ("zone", "Exists", [], True),
    "Exists, an empty value": ("empty", "Exists", [], True),
    "Exists, no such label": ("rack", "Exists", [], False),
    "DoesNotExist": ("zone", "DoesNotExist", [], False),
    "DoesNotExist, no such label": ("rack", "DoesNotExist", [], True),
    "Gt, more": ("cores", "Gt", ["15"], True),
    "Gt, the same": ("cores", "Gt", ["16"], False),
    "Gt, numbers and not texts": ("cores", "Gt", ["9"], True),
    "Gt, negative": ("cores", "Gt", ["-3"], True),
    "Gt, no such label": ("rack", "Gt", ["0"], False),
    "Gt, not a number there": ("zone", "Gt", ["0"], False),
    "Gt, longer than 64 bits there": ("huge", "Gt", ["0"], False),
    "Lt, less": ("cores", "Lt", ["17"], True),
    "Lt, the same": ("cores", "Lt", ["16"], False),
    "Lt, no such label": ("rack", "Lt", ["9"], False),
    "a whole number unquoted": ("cores", "In", [16], True),
}


@pytest.mark.parametrize(("key", "operator", "values", "holds"), HOLDS.values(), ids=HOLDS)
def test_operators(key, operator, values, holds):
    requirement = Requirement.parse(key, operator, values, "matchExpressions[0]")

    assert requirement.holds(LABELS) is holds
    assert Selector((requirement,)).matches(LABELS) is holds
    assert bool(Selector((requirement,)).misses(LABELS)) is not holds


def test_a_truth_is_the_text_that_yaml_reads_it_from():
    assert Requirement.parse("gpu", "In", [True, False], "here").values == ("true", "false")


REFUSED = {
    "no such operator": ("Like", ["a"], "here.operator", "'Like'"),
    "another case": ("in", ["a"], "here.operator", "'in'"),
    "no operator": (None, ["a"], "here.operator", "None"),
    "an operator that is a list": (["In"], ["a"], "here.operator", "['In']"),
    "In without values": ("In", [], "here.values", "at least one value"),
    "NotIn without values": ("NotIn", [], "here.values", "at least one value"),
    "Exists with values": ("Exists", ["a"], "here.values", "takes no values"),
    "DoesNotExist with values": ("DoesNotExist", ["a"], "here.values", "takes no values"),
    "Gt with two": ("Gt", ["1", "2"], "here.values", "exactly one whole number"),
    "Gt with none": ("Gt", [], "here.values", "exactly one whole number"),
    "Gt with a fraction": ("Gt", ["1.5"], "here.values", "exactly one whole number"),
    "Lt with a word": ("Lt", ["few"], "here.values", "exactly one whole number"),
    "Lt with an underscore": ("Lt", ["1_0"], "here.values", "exactly one whole number"),
    "a text instead of a list": ("In", "a", "here.values", "'a' is no list"),
    "a map instead of a list": ("In", {"a": 1}, "here.values", "is no list"),
    "nothing as a value": ("In", ["a", None], "here.values[1]", "None is no text"),
    "a fraction as a value": ("In", [1.10], "here.values[0]", "1.1 is no text"),
    "a list as a value": ("In", [["a"]], "here.values[0]", "is no text"),
}


@pytest.mark.parametrize(("operator", "values", "place", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_read_is_refused_at_its_place(operator, values, place, message):
    with pytest.raises(InputError) as caught:
        Requirement.parse("cores", operator, values, "here")

    assert caught.value.place == place
    assert message in caught.value.message
    assert caught.value.next


def test_no_requirement_holds_everywhere():
    assert Selector().matches({})
    assert not Selector()


def test_all_requirements_must_hold_and_every_miss_is_told():
    selector = Selector.of_labels(
        {"zone": "b", "cores": "16"}, Requirement("rack", Operator.EXISTS), Requirement("cores", Operator.LT, ("8",))
    )

    assert bool(selector)
    assert not selector.matches(LABELS)
    assert [str(miss) for miss in selector.misses(LABELS)] == [
        "wants zone=b, has a",
        "wants rack is set, has no such label",
        "wants cores < 8, has 16",
    ]


def test_equal_labels_give_equal_selectors():
    one, other = Selector.of_labels({"a": "1", "b": "2"}), Selector.of_labels({"b": "2", "a": "1"})

    assert one == other
    assert hash(one) == hash(other)
    assert one != Selector.of_labels({"a": "1"})


WORDS = {
    "one value": (Requirement("zone", Operator.IN, ("a",)), "zone=a"),
    "several values": (Requirement("zone", Operator.IN, ("a", "b")), "zone in (a, b)"),
    "NotIn": (Requirement("zone", Operator.NOT_IN, ("a",)), "zone not in (a)"),
    "Exists": (Requirement("zone", Operator.EXISTS), "zone is set"),
    "DoesNotExist": (Requirement("zone", Operator.DOES_NOT_EXIST), "zone is not set"),
    "Gt": (Requirement("cores", Operator.GT, ("8",)), "cores > 8"),
    "Lt": (Requirement("cores", Operator.LT, ("8",)), "cores < 8"),
}


@pytest.mark.parametrize(("requirement", "words"), WORDS.values(), ids=WORDS)
def test_a_requirement_in_words(requirement, words):
    assert str(requirement) == words
    assert str(Miss(requirement, "x")) == f"wants {words}, has x"


def test_a_worker_of_another_name_is_told_which_is_wanted():
    (miss,) = Selector((Requirement.of_name("a", "b"),)).misses({}, "c")

    assert str(miss) == "wants only worker called a or b"
