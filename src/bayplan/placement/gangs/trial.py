"""One try: the members of a workload in some order, each where it fits best, on a trial copy of the table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bayplan.framework.cycle import Cycle
from bayplan.framework.fork import Fork
from bayplan.framework.pickers.max_score import MaxScore
from bayplan.placement.asks.backends import Support, support
from bayplan.placement.asks.from_shape import ask_tiers
from bayplan.placement.asks.role_counts import members_there
from bayplan.placement.asks.siblings import SiblingLog
from bayplan.placement.asks.subject import Subject
from bayplan.placement.constraints.active import ActiveConstraints
from bayplan.placement.constraints.cost_sum import price_of
from bayplan.placement.constraints.spot_share import ON_SPOT
from bayplan.placement.decision.options import options
from bayplan.placement.decision.placed import Replica
from bayplan.placement.decision.profiles import variant_of
from bayplan.placement.decision.rejection_summary import Refused
from bayplan.placement.decision.tuning import tuning_of
from bayplan.placement.decision.worker_domains import worker_ask
from bayplan.placement.gangs.equal_members import place_equals
from bayplan.placement.gangs.lookahead import counts_copies

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from bayplan.cluster.booking import Booking
    from bayplan.cluster.workload import Workload
    from bayplan.framework.plugins import IndexArray, Writes
    from bayplan.framework.table import Table
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.asks.from_shape import Asked
    from bayplan.placement.asks.sized_workload import SizedRole, SizedWorkload
    from bayplan.placement.constraints.within import AllowedDomains
    from bayplan.placement.decision.options import Option
    from bayplan.placement.decision.placed import Placed
    from bayplan.placement.decision.planned_cluster import PlannedCluster


@dataclass(frozen=True, slots=True)
class Limits:
    """What a try keeps to: an order of the members, domains for the gang, and workers that fit into the budget.

    `spot_last`: of the workers that only some replicas may use, none is used while others suffice.
    """

    order: tuple[int, ...] | None = None
    within: AllowedDomains | None = None
    affordable: npt.NDArray[np.int64] | None = None
    spot_last: bool = False


NO_LIMITS = Limits()

MOST_TOUCHED = 64
"""Rows that a try writes on a fork; with more, a table of its own is cheaper although all rows are asked about anew."""


class Checkpoint(NamedTuple):
    """A point in a try to which one may come back: the workload's own bookings, its counts, and some rows."""

    held: int
    siblings: int
    constraints: list[Any]
    rows: dict[int, Mapping[str, Any]]


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
        self._table: Table | Fork = state.trial()
        self._unwritten: Writes = {}
        self.held: list[Booking] = []
        self.constraints = ActiveConstraints(
            sized, self.snapshot, state.ledger.held_by_names, self.held, rows_when_empty=self.rows_when_empty,
            domains=limits.within, affordable=limits.affordable,
        )  # fmt: skip
        self._siblings = SiblingLog()
        self._asks: dict[int, Asked] = {}
        self._there = members_there(sized.roles, held)
        self._hold(held)
        self.warnings = [*sized.warnings]
        self.options: tuple[Option, ...] = ()
        self.refused = Refused()
        self.blocked: list[str] = []

    @property
    def table(self) -> Table | Fork:
        """The trial copy of the table with all that was taken. The last replica's rows are written when it is read."""
        if self._unwritten:
            writes, self._unwritten = self._unwritten, {}
            for row, values in writes.items():
                self._table.write(row, values)
        return self._table

    def place(self, desired: int) -> list[Replica]:
        """As many of the missing replicas as fit, at most `desired`."""
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
        """One replica, or many where they are counted; options are collected for the very first one."""
        if placed and (more := place_equals(self, role, numbers, wanted)):
            return more
        if isinstance(self.table, Fork) and len(self.table.touched) > MOST_TOUCHED:
            self._table = self.table.apart()
        replica = self._next(role, next(numbers), left, first=not placed)
        return [] if replica is None else [replica]

    def missing(self) -> list[tuple[SizedRole, int]]:
        """The roles with the number of their missing members, in the order of this try."""
        counts = zip(self.sized.roles, self._there, strict=True)
        found = [(role, role.replicas - there) for role, there in counts]
        order = self.limits.order
        return found if order is None else [found[number] for number in order]

    def _next(self, role: SizedRole, number: int, left: int, *, first: bool) -> Replica | None:
        shape = role.shape
        asked = self.asked(role, left)
        subject = self.subject(number, asked.asks)
        tuning = tuning_of(shape)
        seed = self.state.seed(number)
        for each in (*self._off_spot(subject), subject):
            outcome = self.strategies.place(
                each, shape.strategy, asked.asks,
                table=self.table, tuning=tuning, seed=seed, now=self.state.now,
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
            self.options = options(self.strategies, outcome, subject, shape, asked.asks, self.table, self.price, tuning)
        self._unwritten = pick.resolution.writes  # mostly it was the last replica, and nothing reads them
        return self.take(role, number, placed, pick.total, {})

    def _off_spot(self, subject: Subject) -> Iterator[Subject]:
        """The same subject as if no further replica might be on spot workers, where spot workers come last."""
        share = subject.constraint(ON_SPOT)
        if self.limits.spot_last and share is not None:
            yield replace(subject, constraints={**subject.constraints, ON_SPOT: replace(share, most=share.there)})

    def take(self, role: SizedRole, number: int, placed: Placed, score: float, writes: Writes) -> Replica:
        """Let the trial hold a replica."""
        for row, values in writes.items():
            self.table.write(row, values)
        bookings = placed.bookings
        self._hold(bookings)
        self._warn(*unknown_runtimes(role, bookings))
        workers = [booking.worker for booking in bookings]
        return Replica(number, role, placed, score, self.price(workers))

    def checkpoint(self, *rows: int) -> Checkpoint:
        """How things are now, with the state of these rows: all that `back_to` brings back."""
        states: dict[int, Mapping[str, Any]] = {}
        for row in rows:
            columns = self.table.gather(self.table.schema.state, np.array([row], np.intp))
            states[row] = {name: column[0] for name, column in columns.items()}
        return Checkpoint(len(self.held), self._siblings.mark(), self.constraints.mark(), states)

    def back_to(self, checkpoint: Checkpoint) -> None:
        """Undo what was taken since."""
        del self.held[checkpoint.held :]  # in place, because the constraints share this list
        self._siblings.back_to(checkpoint.siblings)
        self.constraints.back_to(checkpoint.constraints)
        for row, values in checkpoint.rows.items():
            self.table.write(row, values)

    def asked(self, role: SizedRole, left: int) -> Asked:
        """What the next replica asks: mostly the same as the last one did, however many are left."""
        known = self._asks.get(id(role))
        if known is None or not known.holds_for(left):
            known = known.with_left(self.snapshot, left) if known else ask_tiers(role, self.snapshot, left)
            self._asks[id(role)] = known
            self._warn(*known.warnings)
        return known

    def subject(self, number: int, asks: Sequence[Ask], *, spread: bool = True) -> Subject:
        """Who asks, as plugins see it; without `spread`, the rule of `spreadOver` is left out."""
        workload = self.sized.workload
        return Subject(
            workload=workload.name,
            replica=number,
            priority=workload.id.priority,
            gang=workload.name if workload.gang else None,
            siblings=self._siblings.now(),
            namespace=workload.id.namespace,
            constraints=self.constraints.views(asks, spread=spread),
        )

    def counts(self, role: SizedRole, ask: Ask) -> bool:
        """Whether replicas of a role can be counted instead of tried: no constraint applies, copies can be foreseen."""
        picker = self.strategies.picker(role.shape.strategy)
        is_first = isinstance(picker, MaxScore) and picker.ties == "lowest"  # of equal workers the first is taken
        if not is_first or any(self.constraints.of((ask,))):
            return False
        return counts_copies(self.strategies, role.shape.strategy, ask, self.table, tuning_of(role.shape))

    def rows_of(self, role: SizedRole) -> IndexArray:
        """The workers that would take one more member, whatever their domains hold already."""
        shape, asks = role.shape, self.asked(role, 1).asks
        name = self.strategies.strategy(shape.strategy)
        scheduler = self.strategies.scheduler(name, replace(tuning_of(shape), sample=0))
        subject = self.subject(0, asks, spread=False)
        accepted = np.zeros(self.table.size, np.bool_)
        for ask in asks:
            asked = worker_ask(ask) if ask.spans else ask
            evaluator: Any = scheduler.evaluator(variant_of(name, asked), self.table)
            accepted |= evaluator.totals(asked, Cycle(subject, asked)).levels[0] != -np.inf  # -inf: refused
        return np.flatnonzero(accepted)

    def rows_when_empty(self) -> IndexArray:
        """The workers that would take a replica of any role if every booking were gone, whatever they cost together."""
        limits = Limits(within=self.limits.within)
        empty = Trial(self.state.emptied(), self.sized, (), 1, reasons=False, limits=limits)
        return np.concatenate([empty.rows_of(role) for role in self.sized.whole.roles])

    def _hold(self, bookings: Iterable[Booking]) -> None:
        """Count further bookings of this workload."""
        for booking in bookings:
            self.held.append(booking)
            self.constraints.hold(booking)
            row = self.snapshot.rows.get(booking.worker)
            if row is not None:
                positions = self.snapshot.site(row).cards.by_name
                names = [(part.runtime, part.index) for part in booking.cards if part.index is not None]
                taken = {positions[name] for name in names if name in positions}
                self._siblings.add(self.snapshot.table.columns["uid_hash"].item(row), taken)

    def price(self, workers: Iterable[str]) -> float | None:
        """What these workers cost together; None where a price is not known."""
        return price_of(self.state.workers[name] for name in workers)

    def _warn(self, *warnings: str) -> None:
        self.warnings.extend(warnings)


def members_of(workload: Workload, role: SizedRole, last: int) -> list[str]:
    """The names of the last members of a role; without roles they are called after the workload, Pods as they are."""
    if workload.roles and workload.roles[0].is_pod:
        return [role.name or ""] * last
    return [f"{role.name or workload.name}/{number}" for number in range(role.replicas - last, role.replicas)]


def unknown_runtimes(sized: SizedRole, bookings: Iterable[Booking]) -> list[str]:
    """Warnings about cards on which it is not known whether the engine runs."""
    runtimes = {part.runtime for booking in bookings for part in booking.cards}
    name = sized.engine.name
    return [
        f"whether {name} runs on {runtime} is not known; the plan assumes it does"
        for runtime in sorted(runtimes)
        if support(name, runtime) is Support.UNKNOWN
    ]
