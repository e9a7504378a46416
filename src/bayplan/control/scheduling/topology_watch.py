"""Tells of running Pods whose required topology is lost: a link fails, a card moves, a label of the node changes.

Nothing is evicted for it: the Pods run, and whether moving them is better is for people to say.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from bayplan.control.collections import PODS
from bayplan.control.observing import Demand
from bayplan.control.scheduling.units import Unit, UnitReader, unit_of
from bayplan.control.store import Key
from bayplan.framework.errors import BayplanError
from bayplan.placement.planning.topology_demands import left_domain, lost_demands, same_place

if TYPE_CHECKING:
    from bayplan.cluster.booking import Booking
    from bayplan.cluster.worker import Worker
    from bayplan.control.cache import Cache
    from bayplan.control.event_recorder import EventRecorder
    from bayplan.control.observing import LoopObserver
    from bayplan.control.scheduling.live_cluster import LiveCluster
    from bayplan.control.scheduling.pod_holdings import PodName
    from bayplan.control.store import Object
    from bayplan.placement.asks.sized_workload import SizedWorkload

_log = logging.getLogger("bayplan.scheduling")


class TopologyWatch:
    """Hears from the live cluster of workers that changed."""

    def __init__(self, live: LiveCluster, cache: Cache, events: EventRecorder, observer: LoopObserver) -> None:
        self._live, self._cache, self._events, self._observer = live, cache, events, observer
        self._reader = UnitReader(cache)
        live.worker_changed = self.changed

    def changed(self, old: Worker, new: Worker) -> None:
        """Look at the Pods of a worker; cheap where nothing about its topology changed, as nearly always."""
        if same_place(old, new):
            return
        for entry in self._live.state.ledger.held_on(new.name):
            name = self._live.pods.pod_of(entry.booking)
            pod = None if name is None else self._cache.get(Key(PODS, *name))
            if name is not None and pod is not None:
                self._judge(name, pod, entry.booking, old, new)

    def _judge(self, name: PodName, pod: Object, booking: Booking, old: Worker, new: Worker) -> None:
        try:
            sized = self._sized(name, pod)
        except BayplanError as error:
            _log.debug("the topology of %s/%s is not judged: %s", *name, error)
            return
        lost = [code for role in sized.roles if (role.name or "") == booking.role
                for code in lost_demands(role.shape, booking, old, new)]  # fmt: skip
        if self._left_gang(sized, booking, old, new):
            lost.append("gang-short")
        if lost:
            self._observer.topology_violated(Demand.REQUIRED)
            changed = f"{', '.join(lost)}: worker {new.name} is no longer what the workload requires"
            self._events.tell(pod, "Warning", "TopologyLost", changed)

    def _left_gang(self, sized: SizedWorkload, booking: Booking, old: Worker, new: Worker) -> bool:
        gang, state = sized.workload.gang, self._live.state
        if gang is None or gang.within is None:
            return False
        names = {each.worker for each in state.ledger.held_by_workload(booking.key)} - {new.name}
        return left_domain(gang.within, [state.workers[each] for each in names if each in state.workers], old, new)

    def _sized(self, name: PodName, pod: Object) -> SizedWorkload:
        held_by = self._live.state.ledger.held_by_workload
        return self._reader.sized(Unit(unit_of(pod), {name: pod}), held_by, self._live.priority_classes())
