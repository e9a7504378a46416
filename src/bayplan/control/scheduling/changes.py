"""Which changes of objects make a unit worth another try, and since when a Pod waits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.control.clock import seconds_of
from bayplan.control.scheduling.units import is_pending

if TYPE_CHECKING:
    from bayplan.control.store import Object

_CREATED_S = 1.0  # the time at which a Pod was created is known to the second


def pending_since(pod: Object, now: float) -> float:
    """Since when a Pod waits: it may have waited before this process was started."""
    created_s = seconds_of(pod["metadata"].get("creationTimestamp"))
    return now if created_s is None else min(now, created_s + _CREATED_S)


def asks_anew(old: Object | None, new: Object) -> bool:
    """Whether a Pod became pending, or changed in what it asks for: conditions that the loop writes do not count."""
    if old is None or not is_pending(old):
        return True
    return bool(old["spec"] != new["spec"] or old["metadata"].get("labels") != new["metadata"].get("labels"))


def same_spec(old: Object | None, new: Object | None) -> bool:
    """Whether the owner of Pods asks for what it asked for before."""
    if old is None or new is None:
        return False
    return bool(old.get("spec") == new.get("spec"))
