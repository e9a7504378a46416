"""Copies, equality and depth of JSON values, where true is not 1 and numbers are compared as numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

JsonMap = dict[str, Any]


def copied(value: Any) -> Any:
    """A value that shares no map and no list with the given one."""
    if isinstance(value, dict):
        return {key: copied(each) for key, each in value.items()}
    if isinstance(value, list):
        return [copied(each) for each in value]
    return value


def same(left: Any, right: Any) -> bool:
    """Whether two values are equal as JSON: 1 equals 1.0, true does not equal 1."""
    if isinstance(left, dict):
        return isinstance(right, dict) and left.keys() == right.keys() and _same_values(left, right)
    if isinstance(left, list):
        return isinstance(right, list) and len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    return bool(left == right)


def _same_values(left: Mapping[str, Any], right: Mapping[str, Any]) -> bool:
    return all(same(value, right[key]) for key, value in left.items())


def size(value: Any) -> tuple[int, int]:
    """How many nodes a value has and how deep it is nested; without recursion, for values of any depth."""
    nodes, depth, level = 0, 0, [value]
    while level:
        nodes += len(level)
        deeper: list[Any] = []
        for each in level:
            if isinstance(each, dict):
                deeper.extend(each.values())
            elif isinstance(each, list):
                deeper.extend(each)
        depth += any(isinstance(each, dict | list) for each in level)
        level = deeper
    return nodes, depth


def without_nulls(value: Any) -> Any:
    """A copy without the keys whose value is null; nulls inside lists stay."""
    if isinstance(value, dict):
        return {key: without_nulls(each) for key, each in value.items() if each is not None}
    if isinstance(value, list):
        return [without_nulls(each) for each in value]
    return value
