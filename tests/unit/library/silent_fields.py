"""Finds fields that are neither used nor told: changing them changes nothing, and no answer names them."""

from __future__ import annotations

import copy
from typing import Any

from bayplan.framework.errors import InputError
from bayplan.library.examination import examine
from bayplan.manifests.reader import Document
from bayplan.manifests.workloads.dialects import read_workloads

IDENTITY = ("apiVersion", "kind", "metadata", "status")
ODD = {"an odd": ["value"]}


def silent_fields(document: dict[str, Any]) -> list[str]:
    """The paths of all leaves of a document that it would not matter to leave out, and that nothing mentions."""
    answer = examine(document)
    told = [each.steps for each in (*answer.ignored, *answer.for_runtime, *answer.notes)]
    return [
        ".".join(map(str, steps))
        for steps in leaves(document)
        if steps[0] not in IDENTITY
        and not any(steps[: len(each)] == each for each in told if each)
        and not matters(document, steps)
    ]


def leaves(value: Any, steps: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The paths of all values that hold no other values."""
    if isinstance(value, dict) and value:
        return [leaf for key, inner in value.items() for leaf in leaves(inner, (*steps, key))]
    if isinstance(value, list) and value:
        return [leaf for number, inner in enumerate(value) for leaf in leaves(inner, (*steps, number))]
    return [steps]


def matters(document: dict[str, Any], steps: tuple[str | int, ...]) -> bool:
    """Whether another value at this path gives another answer."""
    before = outcome(document)
    return any(outcome(_with(document, steps, value)) != before for value in _others(_at(document, steps)))


def outcome(document: dict[str, Any]) -> Any:
    """What becomes of a document: its workloads, and what is said about it."""
    try:
        workloads = [each.workload for each in read_workloads([Document(document, "d")])]
    except InputError as error:
        workloads = [str(error)]
    return workloads, examine(document)


def _others(value: Any) -> list[Any]:
    if isinstance(value, bool):
        return [None, not value]
    if isinstance(value, int | float):
        return [None, value + 1, ODD]
    return [None, f"{value}x", ODD]


def _at(document: Any, steps: tuple[str | int, ...]) -> Any:
    for step in steps:
        document = document[step]
    return document


def _with(document: dict[str, Any], steps: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    other = copy.deepcopy(document)
    holder = _at(other, steps[:-1])
    if value is None:
        del holder[steps[-1]]
    else:
        holder[steps[-1]] = value
    return other
