"""The comparisons that every kind of answer shares: one line a mismatch, nothing where all holds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from acceptance.case_files import CaseError, known_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from acceptance.case_files import Document

    Check = Callable[[str, Any, Document, float], Iterable[str]]

ABSENT = object()


def shown(value: Any) -> str:
    return "nothing" if value is ABSENT else json.dumps(value, default=lambda items: sorted(items, key=str))


def checked(place: str, expected: Any, answer: Document, checks: dict[str, Check], tolerance: float) -> list[str]:
    if not isinstance(expected, dict) or not expected:
        raise CaseError(f"expect.{place}: must be a mapping that is not empty, not {shown(expected)}")
    known_keys(expected, checks, f"expect.{place}")
    return [line for key, value in expected.items() for line in checks[key](f"{place}.{key}", value, answer, tolerance)]


def same(place: str, expected: Any, came: Any) -> Iterator[str]:
    if expected != came or isinstance(expected, bool) != isinstance(came, bool):
        yield f"{place}: expected {shown(expected)}, got {shown(came)}"


def same_set(place: str, expected: Iterable[Any], came: Iterable[Any]) -> Iterator[str]:
    return same(place, set(expected), set(came))


def none_of(place: str, unwanted: Iterable[Any], came: Iterable[Any]) -> Iterator[str]:
    found = set(unwanted) & set(came)
    if found:
        yield f"{place}: expected none of {shown(sorted(unwanted))}, got {shown(found)}"


def near(place: str, expected: float, came: Any, tolerance: float) -> Iterator[str]:
    if not is_number(came) or not abs(expected - came) <= tolerance:
        yield f"{place}: expected {expected} ± {tolerance}, got {shown(came)}"


def within(place: str, expected: Document | None, came: Any) -> Iterator[str]:
    """A range of which either end may be open; null is *must be null*, which a missing field is not."""
    if expected is None:
        yield from same(place, None, came)
        return
    known_keys(expected, {"min", "max"}, f"expect.{place}")
    if not expected:
        raise CaseError(f"expect.{place}: has neither min nor max")
    if not is_number(came) or not expected.get("min", came) <= came <= expected.get("max", came):
        yield f"{place}: expected {shown(expected)}, got {shown(came)}"


def contains(place: str, expected: str, came: str) -> Iterator[str]:
    if expected not in came:
        yield f"{place}: expected a text with {expected!r}, got {came!r}"


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def field(name: str) -> Check:
    return lambda place, expected, answer, _: same(place, expected, answer.get(name, ABSENT))


def warnings_contain(place: str, expected: list[str], answer: Document, _: float) -> Iterator[str]:
    warnings = answer["warnings"]
    for text in expected:
        if not any(text.lower() in str(warning).lower() for warning in warnings):
            yield f"{place}: expected a warning with {text!r}, got {shown(warnings)}"


def warnings_lack(place: str, unwanted: list[str], answer: Document, _: float) -> Iterator[str]:
    for text in unwanted:
        for warning in answer["warnings"]:
            if text.lower() in str(warning).lower():
                yield f"{place}: expected no warning with {text!r}, got {shown(warning)}"
