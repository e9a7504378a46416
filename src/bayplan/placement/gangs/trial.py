"""One try: the members of a workload in some order, each where it fits best, on a trial copy of the table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bayplan.cluster.booking import is_avoided
from bayplan.cluster.worker import uid_hash
from bayplan.framework.cycle import Cycle
from bayplan.placement.asks.backends import Support, support
from bayplan.placement.asks.from_shape import ask_tiers
from bayplan.placement.asks.role_counts import members_there
from bayplan.placement.asks.subject import OnSpot, Siblings, Subject
from bayplan.placement.constraints.domain_counts import Balances
from bayplan.placement.constraints.extras import extras_of
from bayplan.placement.decision.options import options
from bayplan.placement.decision.placed import Replica
from bayplan.placement.decision.profiles import variant_of
from bayplan.placement.decision.rejection_summary import Refused
from bayplan.placement.decision.worker_domains import worker_ask
from bayplan.placement.gangs.equal_members import place_equals

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from bayplan.cluster.booking import Booking
    from bayplan.cluster.workload import Workload
    from bayplan.framework.fork import Fork
    from bayplan.framework.plugins import IndexArray, Writes
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.asks.from_shape import Asked
    from bayplan.placement.asks.sized_workload import SizedRole, SizedWorkload
    from bayplan.placement.asks.subject import Within
    from bayplan.placement.constraints.extras import Extras
    from bayplan.placement.decision.options import Option
    from bayplan.placement.decision.placed import Placed
    from bayplan.placement.decision.planned_cluster import PlannedCluster


@dataclass(frozen=True, slots=True)
class Limits:
    """What a try keeps to: an order of the members, domains for the gang, and workers that fit into the budget.

    `spot_last`: of the workers that only some replicas may use, none is used while others suffice.
    """

    order: tuple[int, ...] | None = None
    within: Within | None = None
    affordable: npt.NDArray[np.int64] | None = None
    spot_last: bool = False


NO_LIMITS = Limits()


class Mark(NamedTuple):
    """A point in a try to which one may come back."""

    held: int
    counts: dict[int, tuple[int, Mapping[int, int]]]
    used: dict[int, float]
    spot: set[int]


class Trial:
    """One workload's way through the tiers, replica by replica, on a trial copy of the table."""

    def __init__(
        self,
        state: PlannedCluster,
        sized: SizedWorkload,
        held: Sequence[Booking],
        minimum: int,
        *,
        reasons: bool = True,
        limits: Limits = NO_LIMITS,
    ) -> None:
        self.state, self.sized, self.minimum, self.reasons = state, sized, minimum, reasons
        self.strategies, self.snapshot, self.limits = state.strategies, state.snapshot, limits
        self.table: Fork = state.trial()
        self.held: list[Booking] = []
        self._counts: dict[int, tuple[int, Mapping[int, int]]] = {}
        self._used: dict[int, float] = {}
        self._spot: set[int] = set()  # the replicas that stand on spot workers
        self._most_on_spot = sized.most_on_spot
        self._asks: dict[int, Asked] = {}
        self._there = members_there(sized.roles, held)
        self._hold(held)
        self.workers = state.workers
        self.warnings = [*sized.warnings]
        self.options: tuple[Option, ...] = ()
        self.refused = Refused()
        self.blocked: list[str] = []
        self.balances = Balances(self) if sized.workload.spread_over is not None else None

    def place(self, desired: int) -> list[Replica]:
        """As many of the missing replicas as fit, at most so many."""
        taken = {booking.replica for booking in self.held}
        numbers = (number for number in count() if number not in taken)
        placed: list[Replica] = []
        for role, missing in self.missing():
            left = missing
            while left and len(placed) < desired:
                more = self._further(role, numbers, left, min(left, desired - len(placed)), placed)
                if not more:
                    self.blocked += members_of(self.sized.workload, role, left)
                    break
                placed += more
                left -= len(more)
        return placed

    def _further(
        self, role: SizedRole, numbers: Iterator[int], left: int, wanted: int, placed: Sequence[Replica]
    ) -> list[Replica]:
        """One replica, or many where they are counted; what was considered for the very first one is told."""
        if placed and (more := place_equals(self, role, numbers, wanted)):
            return more
        replica = self._next(role, next(numbers), left, first=not placed)
        return [] if replica is None else [replica]

    def missing(self) -> list[tuple[SizedRole, int]]:
        """Whom this try is to place, in its order."""
        members = self.sized.roles
        found = [(role, role.replicas - there) for role, there in zip(members, self._there, strict=True)]
        order = self.limits.order
        return found if order is None else [found[number] for number in order]

    def _next(self, role: SizedRole, number: int, left: int, *, first: bool) -> Replica | None:
        shape = role.shape
        asked = self.asked(role, left)
        subject = self.subject(number, asked.asks, role)
        extras = self.extras(role, asked.asks)
        seed = self.state.seed(number)
        for each in (*self._off_spot(subject), subject):
            outcome = self.strategies.place(
                each, shape.strategy, asked.asks,
                table=self.table, extras=extras, seed=seed, now=self.state.now,
                reasons=self.reasons,
            )  # fmt: skip
            if outcome.ok:
                break
        else:
            self.refused = Refused.of(outcome)
            return None
        pick = outcome.picked[0]
        assert pick.resolution is not None  # noqa: S101 (every profile of placement resolves)
        placed: Placed = pick.resolution.value
        if first and self.reasons:
            self.options = options(self.strategies, outcome, subject, shape, asked.asks, self.table, self.price, extras)
        return self.take(role, number, placed, pick.total, pick.resolution.writes)

    def _off_spot(self, subject: Subject) -> Iterator[Subject]:
        """The same as if no further replica might stand on spot workers, where they come last."""
        share = subject.on_spot
        if self.limits.spot_last and share is not None:
            yield replace(subject, on_spot=replace(share, most=share.there))

    def take(self, role: SizedRole, number: int, placed: Placed, score: float, writes: Writes) -> Replica:
        """Let the trial hold a replica."""
        for row, values in writes.items():
            self.table.write(row, values)
        self._hold(placed.bookings)
        self._warn(*unknown_runtimes(role, placed))
        workers = [booking.worker for booking in placed.bookings]
        return Replica(number, role, placed, score, self.price(workers))

    def mark(self) -> Mark:
        """What the bookings of this workload are now, to come back to; rows are the caller's to restore."""
        return Mark(len(self.held), dict(self._counts), dict(self._used), set(self._spot))

    def back_to(self, mark: Mark) -> None:
        """Forget what was taken since."""
        del self.held[mark.held :]
        self._counts, self._used, self._spot = mark.counts, mark.used, mark.spot

    def extras(self, role: SizedRole, asks: Sequence[Ask]) -> Extras:
        """What the members of a shape need beside the filters of every profile."""
        workload = self.sized.workload
        within = workload.gang.within if workload.gang and self.limits.within is not None else None
        shares_spot = self._most_on_spot is not None
        return extras_of(asks, role.shape, within=within, spread=workload.spread_over, shares_spot=shares_spot)

    def asked(self, role: SizedRole, left: int) -> Asked:
        """What the next replica asks: mostly the same as the last one did, however many are left."""
        known = self._asks.get(id(role))
        if known is None or known.counts_copies:
            known = self._asks[id(role)] = ask_tiers(role, self.snapshot, left)
            self._warn(*known.warnings)
        return known

    def subject(self, number: int, asks: Sequence[Ask], role: SizedRole | None = None) -> Subject:
        """Who asks, as far as plugins look at that; without the member nobody asks how its domains are balanced."""
        workload = self.sized.workload
        avoided = {name for ask in asks for name in ask.anti_affinity}
        namespace = workload.id.namespace
        bookings = (*self.state.index.named(namespace, avoided), *self.held) if avoided else ()
        beside = {each.worker for each in bookings if is_avoided(each, namespace, avoided)}
        return Subject(
            workload=workload.name,
            replica=number,
            priority=workload.id.priority,
            gang=workload.name if workload.gang else None,
            siblings=Siblings(self._counts),
            avoided=self._hashes(beside),
            used=np.fromiter(self._used, np.int64, len(self._used)),
            spent_usd_per_hour=sum(self._used.values()),
            affordable=self.limits.affordable,
            within=self.limits.within,
            balance=self.balances.now() if self.balances and role else None,
            on_spot=self._on_spot(),
            namespace=namespace,
        )

    def _on_spot(self) -> OnSpot | None:
        percent, most = self.sized.max_spot_percent, self._most_on_spot
        if percent is None or most is None:
            return None
        return OnSpot(len(self._spot), most, self.sized.whole.workload.desired, percent)

    def rows_of(self, role: SizedRole) -> IndexArray:
        """The workers that would take one more member, whatever their domains hold already."""
        shape, asks = role.shape, self.asked(role, 1).asks
        name = self.strategies.strategy(shape.strategy)
        scheduler = self.strategies.scheduler(name, replace(self.extras(role, asks), spread=None, sample=0))
        subject = self.subject(0, asks)
        accepted = np.zeros(self.table.size, np.bool_)
        for ask in asks:
            asked = worker_ask(ask) if ask.spans else ask
            evaluator: Any = scheduler.evaluator(variant_of(name, asked), self.table)
            accepted |= evaluator.totals(asked, Cycle(subject, asked)).levels[0] != -np.inf
        return np.flatnonzero(accepted)

    def rows_when_empty(self, role: SizedRole) -> IndexArray:
        """The workers that would take a member if every booking were gone, whatever the members cost together."""
        limits = Limits(within=self.limits.within)
        return Trial(self.state.emptied(), self.sized, (), 1, reasons=False, limits=limits).rows_of(role)

    def _hold(self, bookings: Iterable[Booking]) -> None:
        """Count further bookings of this workload: who stands where is asked for every replica."""
        for booking in bookings:
            self.held.append(booking)
            row = self.snapshot.rows.get(booking.worker)
            if row is None:
                continue
            worker = self.snapshot.workers[row]
            self._used.setdefault(uid_hash(worker.uid), worker.usd_per_hour or 0.0)
            if worker.spot:
                self._spot.add(booking.replica)
            positions = self.snapshot.site(row).cards.position
            number, on_cards = self._counts.get(uid_hash(worker.uid), (0, {}))
            cards = dict(on_cards)
            for position in {positions[part.card] for part in booking.cards if part.card in positions}:
                cards[position] = cards.get(position, 0) + 1
            self._counts[uid_hash(worker.uid)] = number + 1, cards

    def _hashes(self, names: Iterable[str]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return np.array([uid_hash(self.workers[name].uid) for name in names if name in self.workers], np.int64)

    def price(self, workers: Iterable[str]) -> float | None:
        """What these workers cost together; unknown if one of them is."""
        prices = [self.workers[name].usd_per_hour for name in dict.fromkeys(workers)]
        return None if None in prices else sum(price for price in prices if price is not None)

    def _warn(self, *warnings: str) -> None:
        self.warnings.extend(warnings)


def members_of(workload: Workload, role: SizedRole, last: int) -> list[str]:
    """The names of the last members of a role; without roles they are called after the workload, Pods as they are."""
    if workload.roles and workload.roles[0].is_pod:
        return [role.name or ""] * last
    return [f"{role.name or workload.name}/{number}" for number in range(role.replicas - last, role.replicas)]


def unknown_runtimes(sized: SizedRole, placed: Placed) -> list[str]:
    """Of cards on which nobody knows whether the engine runs."""
    runtimes = {part.runtime for booking in placed.bookings for part in booking.cards}
    name = sized.engine.name
    return [
        f"whether {name} runs on {runtime} is not known; the plan assumes it does"
        for runtime in sorted(runtimes)
        if support(name, runtime) is Support.UNKNOWN
    ]
