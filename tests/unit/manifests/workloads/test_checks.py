"""Tables of fields that others act on."""

from __future__ import annotations

from bayplan.manifests.values import count, flag, name, text
from bayplan.manifests.workloads.checks import (
    anything,
    check,
    expected,
    inside,
    named,
    needed,
    one,
    rows,
    several,
    unheeded,
)
from unit.manifests.opened import opened, places

TABLE = {
    "one": one(count),
    "needed": needed(name),
    "several": several(count),
    "named": named(text),
    "inside": inside({"a": one(count)}),
    "rows": rows({"a": one(count)}),
    "free": anything,
}


def checked(data):
    fields = opened(data)
    check(fields, TABLE)
    fields.finish()
    return fields


def test_what_is_right_says_nothing():
    fields = checked(
        {
            "one": 1,
            "needed": "x",
            "several": [1],
            "named": {"a": "b"},
            "inside": {"a": 1},
            "rows": [{"a": 1}],
            "free": {"b": [object]},
        }
    )

    assert not fields.findings.errors
    assert not fields.findings.warnings


def test_only_what_is_needed_must_be_there():
    assert places(checked({})) == ["needed"]


def test_everything_that_is_wrong():
    data = {"one": "x", "several": [1, "x"], "named": {"a": {}}, "inside": {"a": "x"}, "rows": [{}, {"a": "x"}]}

    assert places(checked(data)) == ["one", "needed", "several[1]", "named.a", "inside.a", "rows[1].a"]


def test_unknown_fields_inside_are_told():
    warnings = checked({"needed": "x", "inside": {"b": 1}, "rows": [{"c": 1}], "d": 1}).findings.warnings

    assert [each.split(": ")[1] for each in warnings] == ["inside.b", "rows[0].c", "d"]


def test_what_is_expected_may_be_missing_and_is_told():
    table = {"given": expected(count), "missing": expected(count), "wrong": expected(count)}
    fields = opened({"given": 1, "wrong": "x"})
    check(fields, table)

    assert places(fields) == ["wrong"]
    assert [each.split(": ")[1] for each in fields.findings.warnings] == ["missing"]


def test_what_no_plan_acts_on_is_told_where_it_asks_for_something():
    table = {"asked": unheeded(count), "absent": unheeded(count), "off": unheeded(flag), "wrong": unheeded(count)}
    fields = opened({"asked": 0, "off": False, "wrong": "x"})
    check(fields, table)

    assert places(fields) == ["wrong"]
    assert [each.split(": ")[1] for each in fields.findings.warnings] == ["asked"]
