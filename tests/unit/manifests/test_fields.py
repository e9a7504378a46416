"""Reading field by field: defaults, places, and everything that is wrong at once."""

from __future__ import annotations

import pytest

from bayplan.cluster.gang import Gang
from bayplan.framework.errors import InputError
from bayplan.manifests.fields import MOST_FINDINGS, MOST_IGNORED, present
from bayplan.manifests.values import count, name, text
from unit.manifests.opened import opened, opened_text, places, problems


def test_a_field_that_is_there():
    assert opened({"a": 3}).read("a", count) == 3


@pytest.mark.parametrize("data", [{}, {"a": None}, None])
def test_absent_and_null_are_the_default(data):
    assert opened(data).read("a", count, 7) == 7


def test_what_cannot_be_read_is_reported_and_its_default_stands_in():
    fields = opened({"a": "x", "b": -1})

    assert (fields.read("a", count, 7), fields.read("b", count)) == (7, None)
    assert places(fields) == ["a", "b"]


def test_a_field_that_must_be_there():
    fields = opened({})

    assert fields.need("name", name, "?") == "?"
    assert problems(fields) == ["doc: name: is missing; give it"]


def test_each_item_has_its_own_place():
    fields = opened({"a": [1, "x", 3, None]})

    assert fields.each("a", count) == (1, 3)
    assert places(fields) == ["a[1]", "a[3]"]


@pytest.mark.parametrize("value", ["x", 1, {"b": 1}])
def test_no_list(value):
    fields = opened({"a": value})

    assert fields.each("a", text) == ()
    assert fields.children("a") == []
    assert places(fields) == ["a"], "and it is told once"


def test_names_that_the_writer_chose():
    fields = opened({"a": {"x.y/z": 1, "b": "bad"}})

    assert fields.mapping("a", count) == {"x.y/z": 1}
    assert places(fields) == ["a.b"]


def test_a_name_that_is_no_text():
    fields = opened({"a": {1: 1, 10**5000: 2, "b": 3}})

    assert fields.mapping("a", count) == {"b": 3}
    assert places(fields) == ["a", "a"]


def test_labels_are_taken_as_they_are_or_as_their_only_text():
    assert opened({"a": {"k": "v"}}).labels("a") == {"k": "v"}
    assert opened({"a": {"k": 1, "t": True}}).labels("a") == {"k": "1", "t": "true"}


def test_a_mapping_inside():
    fields = opened({"a": {"b": "x"}})
    fields.child("a").read("b", count)

    assert places(fields) == ["a.b"]


def test_an_absent_mapping_has_no_fields():
    fields = opened({})

    assert fields.child("a").read("b", count) is None
    assert fields.named("a") == []
    assert places(fields) == []


@pytest.mark.parametrize("value", ["x", 3, [1], True])
def test_no_mapping(value):
    fields = opened({"a": value})
    fields.child("a")

    assert fields.named("a") == []
    assert places(fields) == ["a"], "and it is told once"


def test_the_document_itself_is_no_mapping():
    assert problems(opened([1, 2])) == ["doc: a list of 2 is no mapping; write it as {name: value}"]


def test_a_noun_that_refuses_is_placed():
    fields = opened({"gang": {}})

    assert fields.child("gang").build(Gang, minimum=-1) is None
    assert places(fields) == ["gang.minimum"]


def test_a_noun_is_not_built_of_what_could_not_be_read():
    fields = opened({"minimum": "x"})

    assert fields.build(Gang, minimum=fields.read("minimum", count, -1)) is None
    assert places(fields) == ["minimum"], "and nothing is said about the stand-in"


def test_fields_that_nobody_asked_for():
    fields = opened({"replica": 2, "zzz": 3})
    fields.read("replicas", count)
    fields.finish()

    assert fields.findings.warnings == [
        "doc: replica: there is no such field, so it is ignored; did you mean 'replicas'?",
        "doc: zzz: there is no such field, so it is ignored; there are: replicas",
    ]


def test_a_name_that_is_given_as_well_is_not_the_one_that_was_meant():
    fields = opened({"replicas": 1, "replica": 2})
    fields.read("replicas", count)
    fields.finish()

    assert fields.findings.warnings == ["doc: replica: there is no such field, so it is ignored"]


def test_known_fields_that_mean_nothing_here():
    fields = opened({"status": {}})
    fields.ignore("status")
    fields.finish()

    assert fields.findings.warnings == []


def test_a_field_name_that_is_no_text():
    fields = opened({1: 2})
    fields.finish()

    assert problems(fields) == ["doc: the name 1 is not text; put it in quotes"]


def test_places_have_lines():
    fields = opened_text("spec:\n  gpus:\n    count: x\n")
    fields.child("spec").child("gpus").read("count", count)

    assert problems(fields) == ["f.yaml:3: spec.gpus.count: 'x' is not a number; write a whole number"]


def test_one_error_is_raised_for_all():
    fields = opened({"a": "x", "b": "y", "c": "z"})
    for key in "abc":
        fields.read(key, count)

    with pytest.raises(InputError) as refused:
        fields.findings.check()

    assert str(refused.value) == "doc: a: 'x' is not a number (and 2 more problems); write a whole number"


def test_nothing_is_raised_for_nothing():
    opened({}).findings.check()


def test_very_many_problems_are_only_counted():
    fields = opened({"a": ["x"] * 5000})
    fields.each("a", count)

    assert len(fields.findings.errors) == MOST_FINDINGS
    with pytest.raises(InputError, match="and 4999 more problems"):
        fields.findings.check()


def test_very_many_warnings_are_cut():
    fields = opened({f"k{number}": 1 for number in range(500)})
    fields.finish()

    assert len(fields.findings.warnings) == MOST_FINDINGS


def test_present():
    assert present(iter([1, None, 0])) == (1, 0)


def test_left_fields_are_recorded_and_not_printed():
    fields = opened({"a": 1, "b": {"c": 2}, "d": None})
    fields.leave("a", "d", reason="not yet")
    fields.leave_to_runtime(["b"])
    fields.finish()

    assert [(each.path, each.reason, each.neglect) for each in fields.findings.ignored] == [
        ("a", "not yet", "unused"),
        ("b", "it concerns the running Pods, not their place", "runtime"),
    ]
    assert fields.findings.warnings == []


def test_the_first_reason_counts_and_parts_of_an_ignored_field_are_not_repeated():
    fields = opened({"a": {"b": {"c": 1}, "odd": 2}})
    fields.child("a").child("b").leave("c")
    fields.child("a").leave_others({"b"})
    fields.leave("a", reason="first")
    fields.leave("a", reason="second")

    assert [(each.path, each.reason) for each in fields.findings.ignored] == [
        ("a.odd", "there is no such field, so it is ignored"),
        ("a", "first"),
    ]


def test_the_number_of_ignored_fields_is_bounded():
    fields = opened({str(number): 0 for number in range(2 * MOST_IGNORED)})
    fields.finish()

    assert len(fields.findings.ignored) == MOST_IGNORED
