"""What a plugin can be told, and what a document may say of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any, Literal, Optional

import pytest

from bayplan.framework.config.findings import Findings
from bayplan.framework.config.parameters import camel, parameter_texts, parameters_of, shape_of
from bayplan.framework.config.place import Place
from bayplan.framework.config.shapes import BROKEN
from bayplan.framework.errors import InputError


@dataclass(frozen=True)
class Window:
    start: int
    end_hour: int = 24

    def __post_init__(self):
        if self.start > self.end_hour:
            raise ValueError("it ends before it starts")


def read(hint, value):
    findings = Findings()
    got = shape_of(hint).read(value, Place(("x",)), findings)
    return got, [str(problem) for problem in findings.problems]


GOOD = {
    "bool":              (bool, True, True),
    "int":               (int, -3, -3),
    "float from int":    (float, 3, 3.0),
    "float":             (float, 0.5, 0.5),
    "str":               (str, "", ""),
    "literal":           (Literal["a", 1], 1, 1),
    "list":              (list[int], [1, 2], [1, 2]),
    "tuple":             (tuple[str, ...], ["a"], ("a",)),
    "sequence":          (Sequence[str], ["a"], ("a",)),
    "set":               (frozenset[str], ["b", "a"], frozenset("ab")),
    "pair":              (tuple[str, int], ["a", 1], ("a", 1)),
    "dict":              (dict[str, int], {"a": 1}, {"a": 1}),
    "mapping":           (Mapping[str, float], {"a": 1}, {"a": 1.0}),
    "none":              (int | None, None, None),
    "optional":          (Optional[int], 3, 3),  # noqa: UP045 (the old spelling works too)
    "record":            (Window, {"start": 8, "endHour": 9}, Window(8, 9)),
    "record's defaults": (Window, {"start": 8}, Window(8)),
    "records":           (list[Window], [{"start": 1}], [Window(1)]),
    "any":               (Any, [None, 3], [None, 3]),
}  # fmt: skip


@pytest.mark.parametrize(("hint", "value", "expected"), GOOD.values(), ids=GOOD)
def test_values_that_are_read(hint, value, expected):
    got, problems = read(hint, value)

    assert (got, type(got), problems) == (expected, type(expected), [])


@pytest.mark.parametrize(("hint", "value", "expected"), GOOD.values(), ids=GOOD)
def test_a_value_that_was_read_can_be_shown_and_read_again(hint, value, expected):
    shown = shape_of(hint).show(expected)

    assert read(hint, shown) == (expected, [])


NAN, INF = float("nan"), float("inf")
BAD = {
    "bool is no int":     (int, True, "x: true is not a whole number; write one such as 3"),
    "bool is no float":   (float, False, "x: false is not a finite number; write one such as 0.5"),
    "int is no bool":     (bool, 1, "x: 1 is not true or false; write true or false"),
    "float is no int":    (int, 3.0, "x: 3.0 is not a whole number; write one such as 3"),
    "text is no int":     (int, "3", "x: '3' is not a whole number; write one such as 3"),
    "number is no text":  (str, 3, "x: 3 is not text; put it in quotes"),
    "null is no text":    (str, None, "x: null is not text; put it in quotes"),
    "not a number":       (float, NAN, "x: nan is not a finite number; write one such as 0.5"),
    "infinite":           (float, -INF, "x: -inf is not a finite number; write one such as 0.5"),
    "too large":          (float, 10**400, "x: a number of more than 60 digits is not a finite number; …"),
    "no choice":          (Literal["low", "high"], "lo", "x: 'lo' is not one of low | high; did you mean 'low'?"),
    "choice by type":     (Literal[1, 2], True, "x: true is not 1 | 2; write 1 | 2"),
    "no list":            (list[int], 3, "x: 3 is not a list (a whole number); write it as [a, b]"),
    "text is no list":    (list[str], "ab", "x: 'ab' is not a list (text); write it as [a, b]"),
    "item":               (list[int], [1, "2"], "x[1]: '2' is not a whole number; write one such as 3"),
    "pair too short":     (tuple[int, int], [1], "x: a list of 1 is not a list of 2 (a whole number, …"),
    "item of pair":       (tuple[int, str], [1, 2], "x[1]: 2 is not text; put it in quotes"),
    "no mapping":         (dict[str, int], [1], "x: a list of 1 is not a mapping (a whole number); …"),
    "value":              (dict[str, int], {"a.b": "c"}, "x[\"a.b\"]: 'c' is not a whole number; write one such as 3"),
    "name no text":       (dict[str, int], {1: 1}, "x: the name 1 is not text; put it in quotes"),
    "not even null":      (int | None, "a", "x: 'a' is not a whole number; write one such as 3"),
    "no record":          (Window, 3, "x: 3 is not a mapping; write it as {name: value}"),
    "record's field":     (Window, {"start": 1, "endHuor": 2}, "x.endHuor: there is no field 'endHuor'; …"),
    "record lacks field": (Window, {}, "x.start: is missing; give a whole number"),
    "record refuses":     (Window, {"start": 9, "endHour": 1}, "x: it ends before it starts; change it"),
    "control characters": (int, "a\x1b[2J", "x: 'a�[2J' is not a whole number; write one such as 3"),
    "very long":          (int, "a" * 99, f"x: '{'a' * 60}…' is not a whole number; write one such as 3"),
}  # fmt: skip


@pytest.mark.parametrize(("hint", "value", "problem"), BAD.values(), ids=BAD)
def test_values_that_are_refused(hint, value, problem):
    got, problems = read(hint, value)

    assert len(problems) == 1
    assert problems[0] == problem or (problem.endswith("…") and problems[0].startswith(problem[:-1]))
    assert got is BROKEN or "no field" in problem


def test_all_problems_of_a_value_are_found():
    _, problems = read(dict[str, list[int]], {"a": [1, "b", None], "c": 3})

    assert [problem.partition(":")[0] for problem in problems] == ["x.a[1]", "x.a[2]", "x.c"]


SCHEMAS = {
    "bool":    (bool, {"type": "boolean"}),
    "int":     (int, {"type": "integer"}),
    "float":   (float, {"type": "number"}),
    "str":     (str, {"type": "string"}),
    "any":     (Any, {}),
    "literal": (Literal["a", "b"], {"enum": ["a", "b"]}),
    "list":    (list[int], {"type": "array", "items": {"type": "integer"}}),
    "pair":    (tuple[int, str], {
        "type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "minItems": 2, "maxItems": 2,
    }),
    "mapping": (Mapping[str, float], {"type": "object", "additionalProperties": {"type": "number"}}),
    "none":    (int | None, {"anyOf": [{"type": "integer"}, {"type": "null"}]}),
    "record":  (Window, {
        "type": "object",
        "properties": {"start": {"type": "integer"}, "endHour": {"type": "integer", "default": 24}},
        "additionalProperties": False,
        "required": ["start"],
    }),
}  # fmt: skip


@pytest.mark.parametrize(("hint", "schema"), SCHEMAS.values(), ids=SCHEMAS)
def test_json_schema(hint, schema):
    assert shape_of(hint).schema() == schema


@dataclass(frozen=True)
class Told:
    """Does something.

    Parameters:
        target_percent: how full, in percent:
            a second line.
        shares: who gets what.

    And more text: not a parameter.
    """

    target_percent: float
    shares: Mapping[str, float] = field(default_factory=dict)
    name = "told"


class Plain:
    def __init__(self, first: int, second="b", *rest: int, third: bool = True, **more: int) -> None:
        self.seen = (first, second, third)


class Inherits(Told):
    pass


def made(size: int = 1) -> Plain:
    return Plain(size)


TAKEN = {
    "dataclass": (Told, [("target_percent", "targetPercent", True, None), ("shares", "shares", False, {})]),
    "inherited": (Inherits, [("target_percent", "targetPercent", True, None), ("shares", "shares", False, {})]),
    "signature": (Plain, [
        ("first", "first", True, None), ("second", "second", False, "b"), ("third", "third", False, True),
    ]),
    "function":  (made, [("size", "size", False, 1)]),
    "none":      (type("Empty", (), {}), []),
}  # fmt: skip


@pytest.mark.parametrize(("factory", "expected"), TAKEN.values(), ids=TAKEN)
def test_parameters_are_taken_from_fields_and_signatures(factory, expected):
    fields = parameters_of(factory).fields

    assert [(each.name, each.key, each.required, each.default) for each in fields] == expected


def test_parameters_are_described_by_the_docstring():
    assert {each.name: each.text for each in parameters_of(Told).fields} == {
        "target_percent": "how full, in percent: a second line.",
        "shares": "who gets what.",
    }
    assert parameter_texts("No such section: none.") == {}


def test_reading_builds_the_plugin():
    findings = Findings()

    assert parameters_of(Told).read({"targetPercent": 5}, Place(), findings) == Told(5.0)
    assert parameters_of(Plain).read({"first": 1, "third": False}, Place(), findings).seen == (1, "b", False)
    assert findings.problems == []


def test_mutable_defaults_are_not_shared():
    one, other = (parameters_of(Told).read({"targetPercent": 5}, Place(), Findings()) for _ in range(2))

    assert one.shares is not other.shares


def test_the_full_document_has_the_defaults():
    assert parameters_of(Told).full({"target_percent": 5.0}) == {"targetPercent": 5.0, "shares": {}}


NAMES = {"a": "a", "target_percent": "targetPercent", "gpu_memory_mib": "gpuMemoryMib", "class_": "class", "a_1": "a1"}


@pytest.mark.parametrize(("name", "key"), NAMES.items())
def test_camel_case(name, key):
    assert camel(name) == key


def function_of(hint, default=...):
    def factory(value=default):
        return None

    factory.__annotations__ = {} if hint is None else {"value": hint}
    if default is ...:
        factory.__defaults__ = None
    return factory


REFUSED = {
    "a class":         (function_of(object), "no document can hold a object; use bool, int"),
    "bytes":           (function_of(list[bytes]), "no document can hold a bytes"),
    "several types":   (function_of(int | str), "no document can hold a int | str"),
    "keys no text":    (function_of(dict[int, int]), "no document can hold a dict[int, int]"),
    "no hint at all":  (function_of(None), "no document can hold a"),
    "unfit default":   (function_of(int, None), "its default None is not a whole number; change the hint"),
    "unfit list":      (function_of(list[int], None), "its default None is not a list (a whole number)"),
    "not imported":    (function_of("Decimal"), "name 'Decimal' is not defined in its type hint; import it"),
}  # fmt: skip


@pytest.mark.parametrize(("factory", "message"), REFUSED.values(), ids=REFUSED)
def test_parameters_that_no_document_could_hold(factory, message):
    with pytest.raises(InputError) as caught:
        parameters_of(factory)

    assert "parameter 'value'" in caught.value.place
    assert f"{caught.value.message}; {caught.value.next}".startswith(message)


def test_names_that_only_a_type_checker_imports_are_known():
    def factory(shares):
        return None

    elsewhere = FunctionType(factory.__code__, {})
    elsewhere.__annotations__ = {"shares": "Mapping[str, float]"}

    assert parameters_of(elsewhere).schema()["properties"]["shares"]["type"] == "object"
