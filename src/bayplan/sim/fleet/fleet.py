"""The simulated fleet: workers that beat, and Pods that run, for every Node whose runtime is `simulated`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from bayplan.control.collections import NODES, PODS
from bayplan.control.nodes.heartbeats import Beat
from bayplan.control.nodes.registration import SIMULATED
from bayplan.control.store import Key
from bayplan.manifests.marks import RUNTIME
from bayplan.sim.fleet.agenda import Agenda
from bayplan.sim.fleet.cards import wanted_cuts, with_cuts
from bayplan.sim.fleet.faults import Faults
from bayplan.sim.fleet.kubelets import Kubelets
from bayplan.sim.fleet.measurements import Measurements
from bayplan.sim.fleet.scenario import Scenario
from bayplan.sim.fleet.worker import SimulatedWorker
from bayplan.sim.fleet.writer import Writer

if TYPE_CHECKING:
    from bayplan.control.cache import Cache, Seen
    from bayplan.control.clock import Clock
    from bayplan.control.event_recorder import EventRecorder
    from bayplan.control.nodes.heartbeats import Heartbeats
    from bayplan.control.store import Object, Store

_ROUNDS = 10  # parts of the fleet that beat one after the other, so that no beat holds up the event loop


class SimulatedFleet:
    """Reads the cache that all loops share. Without simulated Nodes it does nothing."""

    collections = (NODES, PODS)

    def __init__(
        self, store: Store, cache: Cache, events: EventRecorder, clock: Clock, *, heartbeats: Heartbeats,
        scenario: Scenario | None = None,
    ) -> None:  # fmt: skip
        self.cache, self.events, self.clock, self._heartbeats = cache, events, clock, heartbeats
        self._scenario = scenario or Scenario()
        self._pace = self._scenario.pace
        self.agenda, self.writer = Agenda(clock), Writer(store)
        self.faults = Faults(self, self._scenario)
        self.kubelets = Kubelets(
            cache, events, clock, agenda=self.agenda, writer=self.writer, pace=self._pace, seed=self._scenario.seed,
            strikes=self.faults.strikes,
        )  # fmt: skip
        self.workers: dict[str, SimulatedWorker] = {}
        self._rounds: list[dict[str, SimulatedWorker]] = [{} for _ in range(_ROUNDS)]
        self._bound: dict[str, dict[tuple[str, str], None]] = {}
        cache.listen(NODES, self._node_seen)
        cache.listen(PODS, self._pod_seen)

    def start(self) -> None:
        """Start after the cache has read everything."""
        self.agenda.start()
        self.writer.start()
        for number in range(_ROUNDS):
            self.agenda.after(number * self._pace.heartbeat_s / _ROUNDS, partial(self._beat, number))
        self.faults.start()

    async def stop(self) -> None:
        """Stop; the objects stay, and the next start goes on with them."""
        self.agenda.stop()
        await self.writer.stop()

    def resume(self, worker: SimulatedWorker, *, restarted: bool) -> None:
        """A fault of a worker is over: it is heard again, unless another one is not."""
        if not worker.acts or self.workers.get(worker.name) is not worker:
            return
        self._heartbeats.beat(worker.name)
        self.kubelets.resume(worker, restarted=restarted)
        self._take_bound(worker)
        self._cut_cards(worker.name, self.cache.get(Key(NODES, "", worker.name)))

    def _beat(self, number: int) -> None:
        """Let one part of the fleet be heard."""
        for worker in self._rounds[number].values():
            if worker.acts:
                self._heartbeats.beat(worker.name)
        self.agenda.after(self._pace.heartbeat_s, partial(self._beat, number))

    def _node_seen(self, seen: Seen) -> None:
        name = seen.key.name
        simulated = seen.new is not None and is_simulated(seen.new)
        known = self.workers.get(name)
        if simulated and known is None:
            self._join(name)
        elif known is not None and not simulated:
            self._leave(name)
        if seen.new is not None and (worker := self.workers.get(name)) is not None:
            self.faults.mark(worker, seen.new)
            self._cut_cards(name, seen.new)

    def _join(self, name: str) -> None:
        worker = self.workers[name] = SimulatedWorker(name)
        min(self._rounds, key=len)[name] = worker
        measured = Measurements(worker, self.cache, self.clock, self._scenario.usage, self._scenario.seed)
        self._heartbeats.beat(name, Beat(measurements=measured))
        self._take_bound(worker)

    def _take_bound(self, worker: SimulatedWorker) -> None:
        """Look at every Pod that is bound to a worker."""
        for place in self._bound.get(worker.name, ()):
            key = Key(PODS, *place)
            if (pod := self.cache.get(key)) is not None:
                self.kubelets.take(worker, key, pod)

    def _leave(self, name: str) -> None:
        worker = self.workers.pop(name)
        for each in self._rounds:
            each.pop(name, None)
        for uid in list(worker.replicas):
            self.kubelets.drop(worker, uid)

    def _cut_cards(self, name: str, node: Object | None) -> None:
        """Cut cards as the scheduler wants it, after a while; the Node says so afterwards."""
        worker = self.workers.get(name)
        if node is None or worker is None or not worker.acts or worker.is_cutting or not wanted_cuts(node):
            return
        worker.is_cutting = True
        self.agenda.after(self._pace.mig_s * worker.slowness, partial(self._cut, worker))

    def _cut(self, worker: SimulatedWorker) -> None:
        worker.is_cutting = False
        if worker.acts:
            self.writer.patch((worker.name, "mig"), Key(NODES, "", worker.name), partial(self._with_cuts, worker))

    def _with_cuts(self, worker: SimulatedWorker, live: Object) -> Object:
        bound = (self.cache.get(Key(PODS, *place)) for place in self._bound.get(worker.name, ()))
        node, refused = with_cuts(live, [each for each in bound if each is not None])
        for each in refused:
            self.events.tell(live, "Warning", "MigRefused", each)
        return node

    def _pod_seen(self, seen: Seen) -> None:
        pod = seen.new or seen.old
        node = None if pod is None else pod["spec"].get("nodeName")
        if pod is None or not node:
            return
        place = (seen.key.namespace, seen.key.name)
        worker = self.workers.get(node)
        if seen.new is None:
            bound = self._bound.get(node)
            if bound is not None:
                bound.pop(place, None)
                if not bound:
                    del self._bound[node]
            if worker is not None:
                self.kubelets.drop(worker, pod["metadata"]["uid"])
            return
        self._bound.setdefault(node, {})[place] = None
        if worker is not None:
            self.kubelets.take(worker, seen.key, seen.new)


def is_simulated(node: Object) -> bool:
    """Whether the fleet plays the kubelet of a Node."""
    return (node["metadata"].get("labels") or {}).get(RUNTIME) == SIMULATED
