"""Faults of a scenario happen: at their times, or by chance that follows from the seed."""

from __future__ import annotations

import random
from fnmatch import fnmatchcase
from functools import partial
from typing import TYPE_CHECKING

from bayplan.cluster.gpu import CardId
from bayplan.control.collections import NODES
from bayplan.control.store import Key
from bayplan.sim.fleet.cards import CUDA, holds_card, with_health
from bayplan.sim.fleet.marks import FAULT
from bayplan.sim.fleet.scenario import OF_PODS, Do, Fault

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.control.store import Object
    from bayplan.sim.fleet.fleet import SimulatedFleet
    from bayplan.sim.fleet.replica import Replica
    from bayplan.sim.fleet.scenario import Event, Rate, Scenario
    from bayplan.sim.fleet.worker import SimulatedWorker


RECLAIMED = "bayplan.io/reclaimed"
"""Taint of a Node whose machine was given notice that it will be taken away."""
_LOOK_AGAIN_S = 60.0  # for faults by chance while nothing matches them
_GRACE_S = 30


class Faults:
    """Everything that a scenario does to a fleet; `standing` faults also hit replicas that come later."""

    def __init__(self, fleet: SimulatedFleet, scenario: Scenario) -> None:
        self._fleet, self._scenario = fleet, scenario
        self._chance = random.Random(scenario.seed)  # noqa: S311 (a simulation)
        self._standing: dict[Do, dict[Fault, float]] = {Do.HANG: {}, Do.CRASH: {}}
        self._of_workers: dict[Do, Callable[[SimulatedWorker, Fault], None]] = {
            Do.FAIL: self._fail,
            Do.CUT: self._cut,
            Do.FLAP: self._flap,
            Do.SLOW: self._slow,
            Do.BREAK_CARD: self._break_card,
            Do.RECLAIM: self._reclaim,
            Do.RECOVER: self._recover,
        }
        self.happened, self._over = 0, False

    def start(self) -> None:
        """The times of events count from now."""
        for event in self._scenario.events:
            self._fleet.agenda.after(event.at_s, partial(self._event, event))
        for rate in self._scenario.rates:
            self._draw(rate)

    def end(self) -> None:
        """Nothing new happens; what happened is over when its time is."""
        self._over = True

    def strikes(self, replica: Replica, do: Do) -> bool:
        """Whether a standing fault hits a replica."""
        now_s = self._fleet.clock()
        return any(until > now_s and _matches(fault, replica) for fault, until in self._standing[do].items())

    def happen(self, fault: Fault) -> None:
        """A fault hits everything that it matches."""
        self.happened += 1
        if fault.do in OF_PODS:
            self._stand(fault)
            for replica in self._replicas(fault):
                self._hit(replica, fault)
            return
        for worker in self._workers(fault):
            self._of_workers[fault.do](worker, fault)

    def mark(self, worker: SimulatedWorker, node: Object) -> None:
        """Do what the annotation of a Node asks for, and end what it asked for before."""
        told = str((node["metadata"].get("annotations") or {}).get(FAULT, ""))
        if told == worker.marked:
            return
        before, worker.marked = worker.marked, told
        ends = {Do.FAIL: self._revive, Do.CUT: self._join, Do.SLOW: self._hasten}
        if before in ends:
            ends[Do(before)](worker)
        if told in ends:
            self._of_workers[Do(told)](worker, Fault(Do(told)))
        elif told:
            message = f"{FAULT}: {told[:80]!r} is not one of {', '.join(ends)}"
            self._fleet.events.tell(node, "Warning", "UnknownFault", message)

    def _event(self, event: Event) -> None:
        if self._over:
            return
        self.happen(event.fault)
        if event.every_s is not None:
            self._fleet.agenda.after(event.every_s, partial(self._event, event))

    def _draw(self, rate: Rate) -> None:
        """Wait for the next fault by chance; the more there are whom it may hit, the sooner it comes."""
        targets = len(self._targets(rate.fault))
        if not targets or not rate.per_hour:
            self._fleet.agenda.after(_LOOK_AGAIN_S, partial(self._draw, rate))
            return
        pause_s = self._chance.expovariate(rate.per_hour * targets / 3600.0)
        self._fleet.agenda.after(pause_s, partial(self._strike, rate))

    def _strike(self, rate: Rate) -> None:
        fault = rate.fault
        if self._over:
            return
        if targets := self._targets(fault):
            self.happened += 1
            target = self._chance.choice(targets)
            if fault.do in OF_PODS:
                self._hit(target, fault)  # type: ignore[arg-type]
                self._later(fault, partial(self._lift, fault))
            else:
                self._of_workers[fault.do](target, fault)  # type: ignore[arg-type]
        self._draw(rate)

    def _targets(self, fault: Fault) -> list[SimulatedWorker] | list[Replica]:
        return self._replicas(fault) if fault.do in OF_PODS else self._workers(fault)

    def _workers(self, fault: Fault) -> list[SimulatedWorker]:
        return [each for name, each in self._fleet.workers.items() if fnmatchcase(name, fault.target)]

    def _replicas(self, fault: Fault) -> list[Replica]:
        workers = self._fleet.workers.values()
        return [each for worker in workers for each in worker.replicas.values() if _matches(fault, each)]

    def _stand(self, fault: Fault) -> None:
        """Remember a fault of replicas for as long as it lasts; a crash without a length is one crash."""
        if fault.do is Do.CRASH and fault.lasts_s is None:
            return
        until_s = float("inf") if fault.lasts_s is None else self._fleet.clock() + fault.lasts_s
        self._standing[fault.do][fault] = until_s
        if fault.lasts_s is not None:
            self._fleet.agenda.after(fault.lasts_s, partial(self._lift, fault))

    def _lift(self, fault: Fault) -> None:
        """A fault of replicas is over: replicas that hang go on, unless another fault still holds them."""
        self._standing[fault.do].pop(fault, None)
        for replica in self._replicas(fault):
            if replica.hangs and not self.strikes(replica, Do.HANG):
                self._fleet.kubelets.hang(replica, hangs=False)

    def _hit(self, replica: Replica, fault: Fault) -> None:
        if fault.do is Do.CRASH:
            self._fleet.kubelets.crash(replica)
        else:
            self._fleet.kubelets.hang(replica, hangs=True)

    def _fail(self, worker: SimulatedWorker, fault: Fault) -> None:
        """The machine goes off; its replicas start anew when it is back."""
        worker.failures += 1
        self._later(fault, partial(self._revive, worker))

    def _revive(self, worker: SimulatedWorker) -> None:
        worker.failures = max(0, worker.failures - 1)
        self._fleet.resume(worker, restarted=worker.lives)

    def _cut(self, worker: SimulatedWorker, fault: Fault) -> None:
        """The machine cannot be heard; its replicas go on."""
        worker.cuts += 1
        self._later(fault, partial(self._join, worker))

    def _join(self, worker: SimulatedWorker) -> None:
        worker.cuts = max(0, worker.cuts - 1)
        self._fleet.resume(worker, restarted=False)

    def _flap(self, worker: SimulatedWorker, fault: Fault) -> None:
        """The network comes and goes: away for half of each period."""
        self._flap_until(worker, fault, self._fleet.clock() + (fault.lasts_s or 0.0))

    def _flap_until(self, worker: SimulatedWorker, fault: Fault, end_s: float) -> None:
        if self._fleet.clock() + fault.period_s / 2 <= end_s:
            worker.cuts += 1
            self._fleet.agenda.after(fault.period_s / 2, partial(self._join, worker))
            self._fleet.agenda.after(fault.period_s, partial(self._flap_until, worker, fault, end_s))

    def _slow(self, worker: SimulatedWorker, fault: Fault) -> None:
        worker.slowness = fault.factor
        self._later(fault, partial(self._hasten, worker))

    def _hasten(self, worker: SimulatedWorker) -> None:
        worker.slowness = 1.0

    def _break_card(self, worker: SimulatedWorker, fault: Fault) -> None:
        """A card no longer works: what runs on it ends, and nothing new is placed there."""
        card = CardId(CUDA, fault.card)
        self._set_health(worker, card, healthy=False)
        for replica in list(worker.replicas.values()):
            pod = self._fleet.cache.get(replica.key)
            if pod is not None and holds_card(pod, card):
                self._fleet.kubelets.fail(replica, "DeviceUnhealthy", f"card {card} of {worker.name} is unhealthy")
        self._later(fault, partial(self._set_health, worker, card, healthy=True))

    def _set_health(self, worker: SimulatedWorker, card: CardId, *, healthy: bool) -> None:
        subject = (worker.name, "health", str(card))
        self._fleet.writer.patch(subject, _key(worker), lambda live: with_health(live, card, healthy=healthy))

    def _reclaim(self, worker: SimulatedWorker, fault: Fault) -> None:
        """A spot machine is given notice: nothing new is placed there, its Pods are ended, then it goes off."""
        self._taint(worker, reclaimed=True)
        node = self._fleet.cache.get(_key(worker))
        if node is not None:
            self._fleet.events.tell(node, "Warning", "SpotReclaimed", f"the machine goes in {fault.notice_s:g} s")
        for replica in worker.replicas.values():
            pod = self._fleet.cache.get(replica.key)
            if pod is not None:
                usual = pod["spec"].get("terminationGracePeriodSeconds", _GRACE_S)
                self._fleet.kubelets.evict(replica, int(min(usual, fault.notice_s)))
        self._fleet.agenda.after(fault.notice_s, partial(self._take_away, worker, fault))

    def _take_away(self, worker: SimulatedWorker, fault: Fault) -> None:
        worker.failures += 1
        self._later(fault, partial(self._give_back, worker))

    def _give_back(self, worker: SimulatedWorker) -> None:
        self._revive(worker)
        self._taint(worker, reclaimed=False)

    def _taint(self, worker: SimulatedWorker, *, reclaimed: bool) -> None:
        def change(live: Object) -> Object:
            spec = live.get("spec") or {}
            taints = [each for each in spec.get("taints") or () if each.get("key") != RECLAIMED]
            if reclaimed:
                taints.append({"key": RECLAIMED, "effect": "NoSchedule"})
            kept = {key: value for key, value in spec.items() if key != "taints"}
            return {**live, "spec": {**kept, **({"taints": taints} if taints else {})}}

        self._fleet.writer.patch((worker.name, "taint"), _key(worker), change)

    def _recover(self, worker: SimulatedWorker, fault: Fault) -> None:
        """Everything about a worker is well again."""
        del fault
        restarted = not worker.lives
        worker.failures, worker.cuts, worker.slowness = 0, 0, 1.0
        self._taint(worker, reclaimed=False)
        self._fleet.resume(worker, restarted=restarted)

    def _later(self, fault: Fault, repair: Callable[[], object]) -> None:
        if fault.lasts_s is not None:
            self._fleet.agenda.after(fault.lasts_s, repair)


def _matches(fault: Fault, replica: Replica) -> bool:
    name = f"{replica.key.namespace}/{replica.key.name}"
    return fnmatchcase(name if "/" in fault.target else replica.key.name, fault.target)


def _key(worker: SimulatedWorker) -> Key:
    return Key(NODES, "", worker.name)
