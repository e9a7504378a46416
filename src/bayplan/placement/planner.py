"""Plans: workloads one after the other, each on what the former ones left; nothing is written to the cluster."""

from __future__ import annotations

from collections import Counter
from copy import copy
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.snapshot import Snapshot, by_worker
from bayplan.cluster.worker import uid_hash
from bayplan.placement.asking import Sized, ask_tiers
from bayplan.placement.backends import Support, support
from bayplan.placement.not_yet import refuse_unplanned, without_victims
from bayplan.placement.options import Option, options
from bayplan.placement.placer import Placer
from bayplan.placement.refused import Refused
from bayplan.placement.removals import Removal, order_removals
from bayplan.placement.subject import Siblings, Subject

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bayplan.cluster.booking import Booking
    from bayplan.cluster.cluster import Cluster
    from bayplan.cluster.worker import Worker
    from bayplan.cluster.workload import Workload
    from bayplan.framework.fork import Fork
    from bayplan.framework.outcome import Outcome
    from bayplan.framework.profile import Profile
    from bayplan.placement.ask import Ask
    from bayplan.placement.placed import Placed


class Verdict(StrEnum):
    """Waiting: it would fit if every booking were gone. Infeasible: not even then."""

    FITS = "fits"
    PARTLY = "partly"
    WAITING = "waiting"
    INFEASIBLE = "infeasible"


@dataclass(frozen=True, slots=True)
class Member:
    """The members of one shape: all replicas of a workload, or those of a role."""

    role: str | None
    replicas: int
    sized: Sized


@dataclass(frozen=True, slots=True)
class Request:
    """A workload with the sizes of its models."""

    workload: Workload
    members: tuple[Member, ...]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Replica:
    """A replica that a plan adds."""

    index: int
    role: str | None
    sized: Sized
    placed: Placed
    score: float
    usd_per_hour: float | None
    outcome: Outcome


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """The answer for one workload."""

    request: Request
    verdict: Verdict
    desired: int
    minimum: int
    replicas: tuple[Replica, ...] = ()
    options: tuple[Option, ...] = ()
    removals: tuple[Removal, ...] = ()
    refused: Refused = field(default_factory=Refused)
    warnings: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()
    """Members for which there was no room, as ROLE/INDEX; the others of a gang that fails could have been placed."""

    @property
    def bookings(self) -> tuple[Booking, ...]:
        """What would be booked."""
        return tuple(booking for replica in self.replicas for booking in replica.placed.bookings)


class Planner:
    """A cluster and what was planned on it so far. `commit` makes a plan the ground for the next one."""

    def __init__(
        self, cluster: Cluster, profiles: Mapping[str, Profile], *, seed: int = 0, now: float = 0.0,
        skip_broken: bool = False, snapshot: Snapshot | None = None,
    ) -> None:  # fmt: skip
        self.cluster = cluster
        self.snapshot = snapshot or Snapshot.of(cluster)
        self.placer = Placer(self.snapshot, profiles, skip_broken=skip_broken)
        self.bookings: list[Booking] = list(cluster.bookings)
        self.fork: Fork = self.snapshot.table.fork()
        self._profiles, self._seed, self._now, self._skip_broken = profiles, seed, now, skip_broken
        self._emptied: Planner | None = None

    def plan(self, request: Request, *, reasons: bool = True) -> Plan:
        """Where the workload would go. The planner itself stays as it was until `commit`.

        Without `reasons` the same plan lacks what only people read, its options and refusals, and costs far less.
        """
        workload = request.workload
        refuse_unplanned(workload)
        held = self._held(workload)
        replicas = {booking.replica for booking in held}
        desired = workload.desired - len(replicas)
        minimum = max(1, workload.minimum - len(replicas)) if desired > 0 else 0
        if desired <= 0:
            workers = {worker.name: worker for worker in self.cluster.workers}
            removals = order_removals(held, workers, workload.shape.strategy, -desired, self.bookings)
            return Plan(request, Verdict.FITS, 0, 0, removals=tuple(removals), warnings=request.warnings)
        search = Search(self, request, held, minimum, reasons=reasons)
        return search.plan(desired)

    def attempt(self, request: Request) -> Plan | None:
        """The plan of `plan` without reasons where anything is placed, else None: what would follow is not asked."""
        workload = request.workload
        held = self._held(workload)
        there = len({booking.replica for booking in held})
        desired = workload.desired - there
        search = Search(self, request, held, max(1, workload.minimum - there), reasons=False)
        placed = search.place(desired)
        return search.made(placed, desired) if desired > 0 and search.minimum <= len(placed) else None

    def commit(self, plan: Plan) -> None:
        """Let further plans stand on this one."""
        for replica in plan.replicas:
            for part in replica.placed.parts:
                writes = self.snapshot.after(part.row, booked=(part.booking,), table=self.fork, foreseen=True)
                self.fork.write(part.row, writes)
        gone = {(plan.request.workload.name, removal.replica) for removal in plan.removals}
        for booking in [booking for booking in self.bookings if booking.owner in gone]:
            self.bookings.remove(booking)
            if booking.worker in self.snapshot.rows:
                row = self.snapshot.row(booking.worker)
                self.fork.write(row, self.snapshot.after(row, released=(booking,), table=self.fork, foreseen=True))
        self.bookings.extend(plan.bookings)

    def emptied(self) -> Planner:
        """The same cluster without any booking; what others use of its cards stays, and no more than that."""
        if self._emptied is None:
            workers = tuple(map(self._without_ours, self.cluster.workers))
            self._emptied = self._on(replace(self.cluster, workers=workers, bookings=()))
        return self._emptied

    def _without_ours(self, worker: Worker) -> Worker:
        """The worker as it would be observed if nothing were booked on it."""
        if not any(gpu.observed_used_mib for gpu in worker.gpus):
            return worker
        booked = self.snapshot.table.columns["card_booked_mib"][self.snapshot.row(worker.name)].tolist()
        used = [max(0, (gpu.observed_used_mib or 0) - ours) for gpu, ours in zip(worker.gpus, booked, strict=False)]
        return observing(worker, used)

    def result(self) -> Cluster:
        """The cluster with all that was planned on it, as a file says it: what is booked counts as observed, too."""
        touched = set(self.fork.touched.tolist())
        workers = []
        for worker in self.cluster.workers:
            row = self.snapshot.row(worker.name)
            if row in touched:
                used = self.fork.gather(("card_observed_mib",), np.array([row], np.intp))["card_observed_mib"][0]
                workers.append(observing(worker, used.tolist()))
            else:
                workers.append(worker)
        return replace(self.cluster, workers=tuple(workers), bookings=tuple(self.bookings))

    def relieved(self, gone: Iterable[Booking]) -> Planner:
        """The same without these of its bookings. It shares the snapshot: only their rows are counted again."""
        gone = tuple(gone)
        left = {id(booking) for booking in gone}
        other = copy(self)
        other.bookings = [booking for booking in self.bookings if id(booking) not in left]
        other.fork = copied(self)
        for worker, bookings in by_worker(gone).items():
            if worker in self.snapshot.rows:
                row = self.snapshot.row(worker)
                writes = self.snapshot.after(row, released=bookings, table=other.fork, foreseen=True)
                other.fork.write(row, writes)
        return other

    def with_workers(self, workers: Sequence[Worker]) -> Planner:
        """The same with these workers beside the others, or in the place of those that have their names."""
        names = {worker.name for worker in workers}
        planned = self.result()
        kept = (worker for worker in planned.workers if worker.name not in names)
        cluster = replace(planned, workers=(*kept, *workers))
        if len(self.fork.touched):
            return self._on(cluster)
        known = names & self.snapshot.rows.keys()
        moved = [booking for booking in self.bookings if booking.worker in known]
        base = self.snapshot.without(known) if known else self.snapshot
        return self._on(cluster, base.with_workers(workers, moved))

    def _on(self, cluster: Cluster, snapshot: Snapshot | None = None) -> Planner:
        return Planner(
            cluster, self._profiles, seed=self._seed, now=self._now, skip_broken=self._skip_broken, snapshot=snapshot
        )

    def seed(self, number: int) -> int:
        """The seed of the n-th decision of a plan."""
        return self._seed + number

    @property
    def now(self) -> float:
        return self._now

    def _held(self, workload: Workload) -> list[Booking]:
        name = workload.name
        return [booking for booking in self.bookings if booking.workload == name]


class Search:
    """One workload's way through the tiers, replica by replica, on a trial copy of the table."""

    def __init__(
        self, planner: Planner, request: Request, held: Sequence[Booking], minimum: int, *, reasons: bool = True
    ) -> None:
        self.planner, self.request, self.minimum, self.reasons = planner, request, minimum, reasons
        self.placer, self.snapshot = planner.placer, planner.snapshot
        self.trial: Fork = copied(planner)
        self.held = list(held)
        self.workers = {worker.name: worker for worker in planner.cluster.workers}
        self.warnings = list(request.warnings)
        self.options: tuple[Option, ...] = ()
        self.refused = Refused()
        self.blocked: list[str] = []

    def plan(self, desired: int) -> Plan:
        placed = self.place(desired)
        if len(placed) < self.minimum:
            placed = []
        return self.made(placed, desired)

    def made(self, placed: Sequence[Replica], desired: int) -> Plan:
        """The plan with these replicas."""
        verdict = Verdict.FITS if len(placed) == desired else Verdict.PARTLY if placed else self._waiting()
        if verdict is not Verdict.FITS:
            self._warn(*without_victims(self.request.workload))
        for replica in placed:
            if replica.placed.oversold_mib:
                excess = replica.placed.oversold_mib
                self._warn(f"overcommit: replica {replica.index} takes {excess} MiB more than is free")
        return Plan(
            self.request, verdict, desired, self.minimum, tuple(placed), self.options if placed else (),
            refused=self.refused if len(placed) < desired else Refused(), warnings=tuple(dict.fromkeys(self.warnings)),
            blocked=tuple(self.blocked),
        )  # fmt: skip

    def place(self, desired: int) -> list[Replica]:
        """As many of the missing replicas as fit, at most so many."""
        taken = {booking.replica for booking in self.held}
        numbers = (number for number in count() if number not in taken)
        placed: list[Replica] = []
        for member, missing in self._missing():
            for left in range(missing, 0, -1):
                if len(placed) == desired:
                    return placed
                replica = self._next(member, next(numbers), left, first=not placed)
                if replica is None:
                    self.blocked += members_of(self.request.workload, member)[-left:]
                    break
                placed.append(replica)
        return placed

    def _missing(self) -> Iterable[tuple[Member, int]]:
        """Bookings do not say their role: those that are there count for the first roles."""
        there = len({booking.replica for booking in self.held})
        for member in self.request.members:
            missing = max(0, member.replicas - there)
            there = max(0, there - member.replicas)
            yield member, missing

    def _next(self, member: Member, number: int, left: int, *, first: bool) -> Replica | None:
        shape = member.sized.shape
        asked = ask_tiers(member.sized, self.snapshot, left)
        self._warn(*asked.warnings)
        subject = self.subject(number, asked.asks)
        seed = self.planner.seed(number)
        outcome = self.placer.place(
            subject, shape.strategy, asked.asks,
            table=self.trial, sample=shape.max_workers_to_score or 0, seed=seed, now=self.planner.now,
            reasons=self.reasons,
        )  # fmt: skip
        if not outcome.ok:
            self.refused = Refused.of(outcome, self.snapshot)
            return None
        pick = outcome.picked[0]
        assert pick.resolution is not None  # noqa: S101 (every profile of placement resolves)
        placed: Placed = pick.resolution.value
        if first and self.reasons:
            self.options = options(self.placer, outcome, subject, shape, asked.asks, self.trial, self.price)
        for row, values in pick.resolution.writes.items():
            self.trial.write(row, values)
        self.held.extend(placed.bookings)
        self._warn(*unknown_runtimes(member.sized, placed))
        workers = [booking.worker for booking in placed.bookings]
        return Replica(number, member.role, member.sized, placed, score_of(outcome), self.price(workers), outcome)

    def subject(self, number: int, asks: Sequence[Ask]) -> Subject:
        """Who asks, as far as plugins look at that."""
        workload = self.request.workload
        used = {booking.worker for booking in self.held if booking.worker in self.workers}
        avoided = {name for ask in asks for name in ask.anti_affinity}
        bookings = (*self.planner.bookings, *self.held) if avoided else ()
        beside = {each.worker for each in bookings if each.workload in avoided or each.gang in avoided}
        return Subject(
            workload=workload.name,
            replica=number,
            priority=workload.id.priority,
            gang=workload.name if workload.gang else None,
            siblings=self._siblings(),
            avoided=self._hashes(beside),
            used=self._hashes(used),
            spent_usd_per_hour=sum(self.workers[name].usd_per_hour or 0.0 for name in used),
        )

    def _siblings(self) -> Siblings:
        counts: dict[int, tuple[int, Counter[int]]] = {}
        for booking in self.held:
            row = self.snapshot.rows.get(booking.worker)
            if row is None:
                continue
            positions = self.snapshot.site(row).cards.position
            key = uid_hash(self.snapshot.workers[row].uid)
            number, cards = counts.get(key, (0, Counter()))
            cards.update({positions[part.card] for part in booking.cards if part.card in positions})
            counts[key] = number + 1, cards
        return Siblings(counts)

    def _hashes(self, names: Iterable[str]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return np.array([uid_hash(self.workers[name].uid) for name in names if name in self.workers], np.int64)

    def price(self, workers: Iterable[str]) -> float | None:
        """What these workers cost together; unknown if one of them is."""
        prices = [self.workers[name].usd_per_hour for name in dict.fromkeys(workers)]
        return None if None in prices else sum(price for price in prices if price is not None)

    def _waiting(self) -> Verdict:
        emptied = self.planner.emptied()
        search = Search(emptied, self.request, (), self.minimum, reasons=False)
        fits = len(search.place(self.minimum)) >= self.minimum
        return Verdict.WAITING if fits else Verdict.INFEASIBLE

    def _warn(self, *warnings: str) -> None:
        self.warnings.extend(warnings)


def observing(worker: Worker, used_mib: Sequence[int]) -> Worker:
    """The worker with so much in use on those of its cards whose use is observed."""
    if all(gpu.observed_used_mib is None for gpu in worker.gpus):
        return worker
    gpus = [
        gpu if gpu.observed_used_mib is None else replace(gpu, observed_used_mib=used)
        for gpu, used in zip(worker.gpus, used_mib, strict=False)
    ]
    return replace(worker, gpus=tuple(gpus))


def copied(planner: Planner) -> Fork:
    """A fork of the table with all that was planned so far."""
    trial = planner.snapshot.table.fork()
    for row in np.unique(planner.fork.touched).tolist():
        values = planner.fork.gather(planner.fork.schema.state, np.array([row], np.intp))
        trial.write(row, {name: column[0] for name, column in values.items()})
    return trial


def members_of(workload: Workload, member: Member) -> list[str]:
    """The names of all members of a role; without roles they are called after the workload."""
    return [f"{member.role or workload.name}/{number}" for number in range(member.replicas)]


def score_of(outcome: Outcome) -> float:
    """The score that documents show."""
    return outcome.picked[0].total


def unknown_runtimes(sized: Sized, placed: Placed) -> list[str]:
    """Of cards on which nobody knows whether the engine runs."""
    runtimes = {part.runtime for booking in placed.bookings for part in booking.cards}
    name = sized.engine.name
    return [
        f"whether {name} runs on {runtime} is not known; the plan assumes it does"
        for runtime in sorted(runtimes)
        if support(name, runtime) is Support.UNKNOWN
    ]
