"""The priority of a unit that was not read yet: the queue must know it before it knows anything else.

At a start thousands of units wait, and reading all of them before the first decision would take seconds. What is read
here is rough; the reader has the last word.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from bayplan.manifests.workloads.priority_class import PriorityClasses

if TYPE_CHECKING:
    from bayplan.control.scheduling.units import Unit
    from bayplan.control.store import Object
    from bayplan.manifests.workloads.priority_class import PriorityClass


def first_priority(unit: Unit, owner: Object | None, classes: tuple[PriorityClass, ...]) -> int:
    """What the owner says, else the highest of its Pods."""
    spec = (owner or {}).get("spec")
    if isinstance(spec, dict):
        scheduling = spec.get("scheduling")
        for place in (spec, scheduling):
            if isinstance(place, dict) and _is_number(place.get("priority")):
                return int(place["priority"])
    known = _by_name(classes)
    return max((_of_pod(each["spec"], known) for each in unit.pods.values()), default=0)


def _of_pod(spec: dict[str, Any], classes: PriorityClasses) -> int:
    if _is_number(spec.get("priority")):
        return int(spec["priority"])
    named = spec.get("priorityClassName")
    found = classes.named.get(named) if isinstance(named, str) and named else classes.default
    return 0 if found is None else found.value


@lru_cache(maxsize=1)
def _by_name(classes: tuple[PriorityClass, ...]) -> PriorityClasses:
    return PriorityClasses.of(classes)


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
