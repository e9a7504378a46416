"""Plans: workloads one after the other, each on what the former ones left; nothing is written to the cluster."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from operator import is_
from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.claims import NOWHERE, Claims
from bayplan.cluster.identity import ReplicaKey
from bayplan.cluster.snapshot import Snapshot
from bayplan.framework.table import Table
from bayplan.placement.booking_index import BookingIndex
from bayplan.placement.card_states import CardStates
from bayplan.placement.engine_args.notices import notices, version_notices
from bayplan.placement.gangs.arranging import Arranging
from bayplan.placement.gangs.one_worker import FEW_STEPS, Steps
from bayplan.placement.placer import Placer
from bayplan.placement.plans import Plan, Verdict
from bayplan.placement.preemption.together import FEW_PLANS, MOST_PLANS
from bayplan.placement.preemption.victims import with_victims
from bayplan.placement.removals import order_removals
from bayplan.placement.slices.reconfigurations import as_cut
from bayplan.placement.staffing import members_there, surplus

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bayplan.cluster.booking import Booking
    from bayplan.cluster.cluster import Cluster
    from bayplan.cluster.worker import Worker
    from bayplan.framework.fork import Fork
    from bayplan.framework.profile import Profile
    from bayplan.placement.packing.mix import Mix
    from bayplan.placement.plans import Request
    from bayplan.placement.preemption.choice import Doubt
    from bayplan.placement.removals import Removal


class Planner:
    """A cluster and what was planned on it so far. `commit` makes a plan the ground for the next one.

    `table` is the snapshot's with all that was committed, in the rows `written`; every try is a fork of it. So the
    cost of a plan does not grow with what was planned before: answers about unwritten rows are kept.
    """

    def __init__(
        self, cluster: Cluster, profiles: Mapping[str, Profile], *, seed: int = 0, now: float = 0.0,
        skip_broken: bool = False, snapshot: Snapshot | None = None, mix: Mix | None = None,
    ) -> None:  # fmt: skip
        self.cluster = cluster
        self.snapshot = snapshot or Snapshot.of(cluster)
        self.placer = Placer(self.snapshot, profiles, skip_broken=skip_broken, mix=mix)
        self.workers = {worker.name: worker for worker in cluster.workers}
        self.bookings: list[Booking] = list(cluster.bookings)
        self.index = BookingIndex(self.bookings)
        self.table: Table | Fork = self.snapshot.table.apart()
        self.written: set[int] = set()
        self._profiles, self._seed, self._now, self._skip_broken = profiles, seed, now, skip_broken
        self._mix = mix
        self._emptied: Planner | None = None

    def plan(self, request: Request, *, reasons: bool = True, preempting: bool = True, thorough: bool = True) -> Plan:
        """Where the workload would go. The planner itself stays as it was until `commit`.

        Without `reasons` the same plan lacks what only people read, its options and refusals, and costs far less.
        Without `preempting` nobody is pushed aside, whatever the workload may do. One that is not `thorough` does not
        search long for an arrangement of members of different shapes, nor for the smallest set of victims.
        """
        workload = request.workload
        held = self.index.of(workload.key)
        there = sum(members_there(request.members, held))
        desired = workload.desired - there
        minimum = max(1, workload.minimum - there) if desired > 0 else 0
        if desired <= 0:
            return Plan(request, Verdict.FITS, 0, 0, removals=self._removals(request, held), warnings=request.warnings)
        steps = Steps() if thorough else Steps(FEW_STEPS)
        plan = Arranging(self, request, held, desired, minimum, reasons=reasons, steps=steps).plan()
        if preempting:
            most = MOST_PLANS if thorough else FEW_PLANS
            plan = with_victims(self, request, plan, reasons=reasons, most_plans=most)
        return self._with_cards(plan) if reasons else plan

    def _removals(self, request: Request, held: Sequence[Booking]) -> tuple[Removal, ...]:
        order, over = self.placer.order(request.workload.shape.strategy), request.workload.spread_over
        return tuple(
            removal
            for bookings, number in surplus(request.members, held)
            for removal in order_removals(bookings, self.workers, order, number, self.bookings, over)
        )

    def _with_cards(self, plan: Plan) -> Plan:
        """The plan with its cards as each replica finds them, and what is to be told about them."""
        warnings, found = version_notices(plan), []
        if plan.replicas and any(member.sized.engine.divides_layers for member in plan.request.members):
            gone = tuple(victim.booking for victim in plan.victims)
            table = self.relieved(gone).table if gone else self.table
            rows = (part.row for replica in plan.replicas for part in replica.placed.parts)
            states = CardStates(self.snapshot, table, rows)
            for replica in plan.replicas:
                found.append(states.of(replica))
                states.count(replica)
            warnings += notices(plan, tuple(found), states)
        if not found and not warnings:
            return plan
        return replace(plan, cards_found=tuple(found), warnings=(*plan.warnings, *warnings))

    def attempt(self, request: Request, doubt: Doubt | None = None) -> Plan | None:
        """The plan without reasons where anything is placed, else None: what would follow is not asked.

        Attempts are many, so none of them is `thorough`; `doubt` hears of one that may have overlooked a place, and
        lets a few be made once more, thoroughly.
        """
        workload = request.workload
        held = self.index.of(workload.key)
        there = sum(members_there(request.members, held))
        desired = workload.desired - there
        minimum = max(1, workload.minimum - there)
        if desired <= 0:
            return None
        steps = Steps(FEW_STEPS)
        arranged = Arranging(self, request, held, desired, minimum, reasons=False, steps=steps).arrange()
        if doubt is not None and len(arranged.placed) < desired and not arranged.exact:
            if steps.cut_off and doubt.may_repeat():
                arranged = Arranging(self, request, held, desired, minimum, reasons=False).arrange()
            doubt.cut_short |= len(arranged.placed) < desired and not arranged.exact
        if len(arranged.placed) < minimum:
            return None
        verdict = Verdict.FITS if len(arranged.placed) == desired else Verdict.PARTLY
        proven = verdict is Verdict.FITS or arranged.exact
        return arranged.search.plan(arranged.placed, desired, verdict, proven=proven)

    def commit(self, plan: Plan) -> None:
        """Let further plans stand on this one."""
        fallen = {id(victim.booking) for victim in plan.victims}
        if fallen:
            self.release([booking for booking in self.bookings if id(booking) in fallen])
        booked: dict[int, list[Booking]] = {}
        for replica in plan.replicas:
            for part in replica.placed.parts:
                booked.setdefault(part.row, []).append(part.booking)
        for row, bookings in booked.items():
            self.table.write(row, self.snapshot.after(row, booked=bookings, table=self.table, foreseen=True))
        self.written.update(booked)
        gone = {ReplicaKey(*plan.request.workload.key, removal.replica) for removal in plan.removals}
        if gone:
            held = self.index.of(plan.request.workload.key)
            self.release([booking for booking in held if booking.owner in gone])
        made = plan.bookings
        self.bookings.extend(made)
        self.index.add(made)

    def trial(self) -> Fork:
        """What is planned on, to be written apart from it."""
        return self.table.fork() if isinstance(self.table, Table) else self.table.copy()

    def release(self, gone: Sequence[Booking]) -> None:
        """Let further plans stand on a cluster without these of its bookings."""
        left = {id(booking) for booking in gone}
        self.bookings = [booking for booking in self.bookings if id(booking) not in left]
        self.index = self.index.without(gone)
        claims = Claims(self.snapshot, gone)
        claim = np.flatnonzero(claims.rows != NOWHERE)
        rows, case = np.unique(claims.rows[claim], return_inverse=True)
        if len(rows):
            self.table.write_many(rows, claims.without(rows, case, claim, self.table))
            self.written = self.written.union(rows.tolist())

    def emptied(self) -> Planner:
        """The same cluster without any booking; what others use of its cards stays, and no more than that."""
        if self._emptied is None:
            workers = tuple(map(self._without_ours, self.cluster.workers))
            is_empty = not self.cluster.bookings and all(map(is_, workers, self.cluster.workers))
            snapshot = self.snapshot if is_empty else None
            self._emptied = self._on(replace(self.cluster, workers=workers, bookings=()), snapshot)
        return self._emptied

    def _without_ours(self, worker: Worker) -> Worker:
        """The worker as it would be observed if nothing were booked on it."""
        if not any(gpu.observed_used_mib for gpu in worker.gpus):
            return worker
        return observing(
            worker, self.snapshot.table.columns["card_foreign_mib"][self.snapshot.row(worker.name)].tolist()
        )

    def result(self) -> Cluster:
        """The cluster with all that was planned on it, as a file says it.

        What is booked counts as observed, too, and cards are cut as their holders need it.
        """
        sliced: dict[str, list[Booking]] = {}
        for booking in self.bookings:
            if any(part.mig is not None for part in booking.cards):
                sliced.setdefault(booking.worker, []).append(booking)
        workers = []
        for worker in self.cluster.workers:
            row = self.snapshot.row(worker.name)
            if row in self.written:
                used = self.table.gather(("card_observed_mib",), np.array([row], np.intp))["card_observed_mib"][0]
                workers.append(as_cut(observing(worker, used.tolist()), sliced.get(worker.name, ())))
            else:
                workers.append(worker)
        return replace(self.cluster, workers=tuple(workers), bookings=tuple(self.bookings))

    def relieved(self, gone: Iterable[Booking]) -> Planner:
        """The same without these of its bookings. It shares the snapshot: only their rows are counted again."""
        other = copy(self)
        other.table, other.written = self.trial(), set(self.written)
        other.release(tuple(gone))
        return other

    def with_workers(self, workers: Sequence[Worker]) -> Planner:
        """The same with these workers beside the others, or in the place of those that have their names."""
        names = {worker.name for worker in workers}
        planned = self.result()
        kept = (worker for worker in planned.workers if worker.name not in names)
        cluster = replace(planned, workers=(*kept, *workers))
        if self.written:
            return self._on(cluster)
        known = names & self.snapshot.rows.keys()
        moved = [booking for booking in self.bookings if booking.worker in known]
        base = self.snapshot.without(known) if known else self.snapshot
        return self._on(cluster, base.with_workers(workers, moved))

    def _on(self, cluster: Cluster, snapshot: Snapshot | None = None) -> Planner:
        return Planner(
            cluster, self._profiles, seed=self._seed, now=self._now, skip_broken=self._skip_broken, snapshot=snapshot,
            mix=self._mix,
        )  # fmt: skip

    def seed(self, number: int) -> int:
        """The seed of the n-th decision of a plan."""
        return self._seed + number

    @property
    def now(self) -> float:
        return self._now


def observing(worker: Worker, used_mib: Sequence[int]) -> Worker:
    """The worker with so much in use on those of its cards whose use is observed."""
    if all(gpu.observed_used_mib is None for gpu in worker.gpus):
        return worker
    gpus = [
        gpu if gpu.observed_used_mib is None else replace(gpu, observed_used_mib=used)
        for gpu, used in zip(worker.gpus, used_mib, strict=False)
    ]
    return replace(worker, gpus=tuple(gpus))
