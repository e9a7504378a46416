"""Conditions of a Node: set so that their times change only with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.control.store import Object

READY = "Ready"


def condition_of(document: Object, kind: str) -> dict[str, Any]:
    """A condition by its type; empty where it is not there."""
    listed = (document.get("status") or {}).get("conditions") or ()
    return next((each for each in listed if isinstance(each, dict) and each.get("type") == kind), {})


def is_ready(document: Object) -> bool:
    """Whether a Node or a Pod says that it is ready."""
    return condition_of(document, READY).get("status") == "True"


def with_condition(document: Object, condition: Mapping[str, Any], now: str) -> Object:
    """The object with a condition; it keeps its time where its status is the same."""
    before = condition_of(document, str(condition["type"]))
    same = before.get("status") == condition["status"]
    new = {**condition, "lastTransitionTime": before.get("lastTransitionTime", now) if same else now}
    return _with(document, str(condition["type"]), [new])


def without_condition(document: Object, kind: str) -> Object:
    """The object without a condition."""
    return _with(document, kind, [])


def _with(document: Object, kind: str, new: list[dict[str, Any]]) -> Object:
    status = document.get("status") or {}
    others = [each for each in status.get("conditions") or () if each.get("type") != kind]
    return {**document, "status": {**status, "conditions": [*others, *new]}}
