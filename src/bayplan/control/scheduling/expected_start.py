"""When a unit that waits is expected to start, where that can be known: Pods on its way have a time limit."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from bayplan.control.clock import moment_text, seconds_of
from bayplan.control.collections import PODS
from bayplan.framework.errors import BayplanError
from bayplan.placement.planning.planner import Planner

if TYPE_CHECKING:
    from bayplan.cluster.booking import Booking
    from bayplan.control.cache import Cache, Seen
    from bayplan.control.scheduling.live_cluster import LiveCluster
    from bayplan.control.scheduling.pod_holdings import PodName
    from bayplan.control.store import Object
    from bayplan.placement.asks.sized_workload import SizedWorkload

UNKNOWN = {"at": None, "basis": "unknown: no Pod that holds what it needs has a time limit"}


def end_of(pod: Object) -> float | None:
    """When a Pod is stopped at the latest; None where it may run for ever."""
    limit = pod["spec"].get("activeDeadlineSeconds")
    if not isinstance(limit, int) or isinstance(limit, bool):
        return None
    begun = seconds_of((pod.get("status") or {}).get("startTime")) or seconds_of(pod["metadata"]["creationTimestamp"])
    return None if begun is None else begun + limit


class TimeLimits:
    """When bound Pods are stopped at the latest, of those that have a time limit."""

    def __init__(self, cache: Cache) -> None:
        self._ends: dict[PodName, float] = {}
        cache.listen(PODS, self._pod_seen)

    def _pod_seen(self, seen: Seen) -> None:
        pod = seen.new
        if pod is not None and pod["spec"].get("nodeName") and (end_s := end_of(pod)) is not None:
            self._ends[seen.key.namespace, seen.key.name] = end_s
        elif self._ends:
            self._ends.pop((seen.key.namespace, seen.key.name), None)

    def known_ends(self, live: LiveCluster, now: float) -> list[tuple[float, Booking]]:
        """What is held by Pods with a time limit, the first to end first; what is overdue may end any moment."""
        held = ((end_s, live.pods.get(name)) for name, end_s in self._ends.items())
        found = [(max(now, end_s), booking) for end_s, booking in held if booking is not None]
        return sorted(found, key=lambda each: each[0])


async def expected_start(sized: SizedWorkload, live: LiveCluster, ends: list[tuple[float, Booking]]) -> dict[str, Any]:
    """`{at, basis}`: the earliest time at which enough Pods have reached their limit. Others may come before it."""
    fewest, most = 1, len(ends)
    if not ends or not _fits(sized, live, ends):
        return UNKNOWN
    while fewest < most:
        await asyncio.sleep(0)  # each try takes a millisecond or more, and the loop has other things to do
        middle = (fewest + most) // 2
        if _fits(sized, live, ends[:middle]):
            most = middle
        else:
            fewest = middle + 1
    pods = "one Pod reaches its" if fewest == 1 else f"{fewest} Pods reach their"
    return {"at": moment_text(ends[fewest - 1][0]), "basis": f"by then {pods} time limit (activeDeadlineSeconds)"}


def _fits(sized: SizedWorkload, live: LiveCluster, ends: list[tuple[float, Booking]]) -> bool:
    there = {id(entry.booking) for _, booking in ends for entry in live.state.ledger.held_by(booking.owner)}
    gone = [booking for _, booking in ends if id(booking) in there]  # some may have ended while this was worked out
    try:
        found = Planner.on(live.state.without(gone)).attempt(sized)
    except BayplanError:
        return False
    return found is not None
