"""Which bound Pods of a workload go first when fewer are wanted: the order that plans use, for Pods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.control.scheduling.units import POOLS, Unit, UnitKey
from bayplan.framework.errors import BayplanError
from bayplan.placement.planning.removals import order_removals

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.cluster.booking import Booking
    from bayplan.cluster.identity import WorkloadKey
    from bayplan.cluster.workload import Workload
    from bayplan.control.scheduling.live_cluster import LiveCluster
    from bayplan.control.scheduling.units import UnitReader


class RemovalOrder:
    """Asked by the controllers that delete Pods."""

    def __init__(self, live: LiveCluster, reader: UnitReader) -> None:
        self._live, self._reader = live, reader

    def __call__(self, workload: WorkloadKey, count: int) -> list[tuple[str, str, str]]:
        """Namespace, name and reason of at most `count` Pods that are not going already, first to go first."""
        state = self._live.state
        held = state.ledger.held_by_workload(workload)
        pods = self._first_pods(held)
        staying = [each for each in held if each.replica in pods]
        found = self._workload(workload)
        strategy = "pack" if found is None else found.shapes[0][2].strategy
        try:
            order = state.strategies.order(strategy)
        except BayplanError:  # a strategy that the configuration no longer has
            order = "tight"
        spread_over = None if found is None else found.spread_over
        names = dict.fromkeys(each.worker for each in staying)
        around = [entry.booking for name in names for entry in state.ledger.held_on(name)]
        chosen = order_removals(staying, state.workers, order, count, around, spread_over)
        return [(*pods[each.replica], each.reason) for each in chosen]

    def _first_pods(self, held: Iterable[Booking]) -> dict[int, tuple[str, str]]:
        """The Pod of each replica that is not being deleted; further parts of a replica go with it."""
        found: dict[int, tuple[str, str]] = {}
        for booking in held:
            name = self._live.pods.pod_of(booking)
            if name is not None and not self._live.is_shard(name) and not self._live.is_going(name):
                found[booking.replica] = name
        return found

    def _workload(self, key: WorkloadKey) -> Workload | None:
        """What the owner of that name asks for; None for what has no owner that is read as a whole."""
        for collection in POOLS.values():
            try:
                unit = Unit(UnitKey(collection, key.namespace, key.name))
                return self._reader.sized(unit, lambda _: (), self._live.priority_classes()).workload
            except BayplanError:
                continue
        return None
