"""Conditions of a status: what holds now, since when, and nothing that no longer holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Condition:
    """One fact; `holds` None is unknown. `reason` is one word in CamelCase."""

    type: str
    holds: bool | None
    reason: str
    message: str = ""

    @property
    def status(self) -> str:
        return "Unknown" if self.holds is None else str(self.holds)


def conditions_of(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The conditions that an object has now."""
    status = document.get("status")
    found = status.get("conditions") if isinstance(status, dict) else None
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def condition_of(document: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """The condition of one type; an empty one where there is none."""
    return next((each for each in conditions_of(document) if each.get("type") == kind), {})


def holds(document: Mapping[str, Any], kind: str) -> bool:
    """Whether a condition is True."""
    return condition_of(document, kind).get("status") == "True"


def with_conditions(
    old: Sequence[Mapping[str, Any]],
    wanted: Iterable[Condition],
    owned: Collection[str],
    now: str,
    *,
    updates: bool = False,
) -> list[dict[str, Any]]:
    """The conditions after a look at the world.

    Types that are not `owned` belong to other writers and stay. Owned ones that are not wanted no longer hold and go.
    `lastTransitionTime` moves only where the status changes; with `updates`, `lastUpdateTime` moves with any change.
    """
    new = {each.type: each for each in wanted}
    kept = []
    for each in old:
        kind = each.get("type")
        if kind not in owned:
            kept.append(dict(each))
        elif kind in new:
            kept.append(_written(new.pop(kind), each, now, updates))
    return [*kept, *(_written(each, {}, now, updates) for each in new.values())]


def _written(condition: Condition, old: Mapping[str, Any], now: str, updates: bool) -> dict[str, Any]:
    written = {
        "type": condition.type,
        "status": condition.status,
        "reason": condition.reason,
        "message": condition.message,
    }
    since = old.get("lastTransitionTime") if old.get("status") == condition.status else None
    if updates:
        same = all(old.get(key) == value for key, value in written.items())
        written["lastUpdateTime"] = (old.get("lastUpdateTime") if same else None) or now
    return {**written, "lastTransitionTime": since or now}
