"""Room that is kept for units which waited too long: what becomes free on some workers is theirs, for a limited time.

Without this, small work that keeps coming takes every card that becomes free, and a large gang never starts. Work of a
higher priority, and work that ends before the gang can start, may use the room meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bayplan.cluster.booking import Booking, CardBooking
from bayplan.control.clock import moment_text
from bayplan.control.scheduling.expected_start import end_of
from bayplan.control.scheduling.live_cluster import MOST_PRIORITY
from bayplan.framework.errors import BayplanError
from bayplan.placement.planning.planner import Planner

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.cluster.worker import Worker
    from bayplan.control.clock import Clock
    from bayplan.control.scheduling.expected_start import TimeLimits
    from bayplan.control.scheduling.live_cluster import LiveCluster
    from bayplan.control.scheduling.units import Unit, UnitKey
    from bayplan.placement.asks.sized_workload import SizedWorkload
    from bayplan.placement.planning.plan import Plan

AFTER_S = 60.0
"""A unit that does not fit gets room reserved after it waited this long."""
LIMIT_S = 1800.0
"""A reservation that did not help within this time is given up; the unit gets its next one after it waited again."""
MOST = 4
"""Reservations at a time: each keeps cards idle."""


@dataclass(slots=True)
class Reservation:
    """The workers on which room is kept, and what of them is kept at present."""

    unit: UnitKey
    priority: int
    workers: dict[str, int]
    """Each with a number of its own."""
    since_s: float
    until_s: float
    starts_s: float | None
    """When the unit can start at the latest, where that is known."""
    bookings: dict[str, Booking] = field(default_factory=dict)
    """By worker."""
    versions: dict[str, int] = field(default_factory=dict)
    """Of the workers when their room was kept."""


class Reservations:
    """All reservations; they are bookings in the ledger that belong to no Pod.

    Who may take the room is decided here, so preemption never does.
    """

    def __init__(
        self, live: LiveCluster, limits: TimeLimits, clock: Clock, *, after_s: float = AFTER_S, limit_s: float = LIMIT_S
    ) -> None:
        self._live, self._limits, self._clock = live, limits, clock
        self.after_s, self.limit_s = after_s, limit_s
        self._kept: dict[UnitKey, Reservation] = {}
        self._not_before_s: dict[UnitKey, float] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def due_in_s(self, key: UnitKey, since_s: float) -> float:
        """In how many seconds a unit that waits since then is to be looked at: it may get room, or its time is over."""
        kept = self._kept.get(key)
        due_s = max(since_s + self.after_s, self._not_before_s.get(key, 0.0)) if kept is None else kept.until_s
        return due_s - self._clock()

    def consider(self, unit: Unit, sized: SizedWorkload) -> Reservation | None:
        """Keep room for a unit that has waited too long; None where it has some already, or it would not help.

        A unit for which it would not help is considered again after a while: working that out costs two plans.
        """
        if unit.key in self._kept:
            return None
        now = self._clock()
        self._not_before_s[unit.key] = now + self.after_s
        found = self._workers_for(sized) if len(self._kept) < MOST else None
        if found is None:
            return None
        names, starts_s = found
        if any(name in each.workers for each in self._kept.values() for name in names):
            return None  # two that wait for each other's room would both wait for ever
        priority = sized.workload.id.priority
        workers = {name: number for number, name in enumerate(names)}
        made = Reservation(unit.key, priority, workers, now, now + self.limit_s, starts_s)
        self._kept[unit.key] = made
        self._keep_free(made, workers)
        return made

    def drop(self, key: UnitKey) -> bool:
        """Give a unit's room back; whether there was any."""
        found = self._kept.pop(key, None)
        if found is not None:
            self._lift(found, found.workers)
        return found is not None

    def give_up_expired(self) -> bool:
        """Give the room of units back whose time is over; whether there were any."""
        now = self._clock()
        over = [key for key, each in self._kept.items() if each.until_s <= now]
        for key in over:
            self.drop(key)
            self._not_before_s[key] = now + self.after_s
        return bool(over)

    def forget(self, key: UnitKey) -> bool:
        """A unit does not wait any more; whether room was kept for it."""
        self._not_before_s.pop(key, None)
        return self.drop(key)

    def lift_own(self, unit: Unit) -> None:
        """Give the unit's own room back for one decision."""
        if (kept := self._kept.get(unit.key)) is not None:
            self._lift(kept, kept.workers)

    def lift_for(self, unit: Unit, sized: SizedWorkload) -> bool:
        """Give back, for one decision, all room that this unit may use; `renew` keeps again what is left of it."""
        lifted = False
        for each in self._kept.values():
            if each.bookings and self._may_use(unit, sized, each):
                self._lift(each, each.workers)
                lifted = True
        return lifted

    def renew(self) -> None:
        """Keep what has become free on the workers since: only on those that changed, because there may be many."""
        ledger = self._live.state.ledger
        for each in self._kept.values():
            versions = ledger.versions(each.workers)
            if versions != each.versions:
                moved = [name for name in each.workers if versions.get(name) != each.versions.get(name)]
                self._lift(each, moved)
                self._keep_free(each, moved)

    def document_of(self, key: UnitKey) -> dict[str, Any] | None:
        """As the queue shows it."""
        found = self._kept.get(key)
        if found is None:
            return None
        return {
            "workers": list(found.workers),
            "since": moment_text(found.since_s),
            "until": moment_text(found.until_s),
            "starts": None if found.starts_s is None else moment_text(found.starts_s),
        }

    def _may_use(self, unit: Unit, sized: SizedWorkload, kept: Reservation) -> bool:
        if unit.key == kept.unit or sized.workload.id.priority > kept.priority:
            return True
        return kept.starts_s is not None and self._ends_before(unit, kept.starts_s)

    def _ends_before(self, unit: Unit, moment_s: float) -> bool:
        """Whether all Pods of a unit, started now, have ended by then."""
        now = moment_text(self._clock())
        for pod in unit.pods.values():
            end_s = end_of({**pod, "status": {"startTime": now}})
            if end_s is None or end_s > moment_s:
                return False
        return True

    def _workers_for(self, sized: SizedWorkload) -> tuple[tuple[str, ...], float | None] | None:
        """Workers on which the unit would fit: where Pods with a time limit give way, else in the empty cluster."""
        state, ends = self._live.state, self._limits.known_ends(self._live, self._clock())
        try:
            if ends:
                made = Planner.on(state.without([booking for _, booking in ends])).attempt(sized)
                if made is not None:
                    workers = _workers(booking for replica in made.replicas for booking in replica.placed.bookings)
                    last = max((end_s for end_s, booking in ends if booking.worker in workers), default=None)
                    return workers, last
            made = Planner.on(state.emptied()).attempt(sized)
        except BayplanError:
            return None
        if made is None:
            return None
        return _workers(booking for replica in made.replicas for booking in replica.placed.bookings), None

    def _lift(self, kept: Reservation, workers: Iterable[str]) -> None:
        if gone := [made for name in workers if (made := kept.bookings.pop(name, None)) is not None]:
            self._live.state.release(gone)

    def _keep_free(self, kept: Reservation, workers: Iterable[str]) -> None:
        """Book everything that is free on the cards of these workers."""
        state, key = self._live.state, kept.unit
        made = []
        for name in workers:
            if (worker := state.workers.get(name)) is None:
                continue
            free_mib = state.table.columns["card_free_mib"][state.snapshot.row(name)].tolist()
            if cards := _free_cards(worker, free_mib):
                number, whose = kept.workers[name], f"{key.name} (reserved)"
                made.append(Booking(whose, number, name, cards=cards, priority=MOST_PRIORITY, namespace=key.namespace))
        if made:
            state.admit(made)
        kept.bookings.update({each.worker: each for each in made})
        kept.versions = state.ledger.versions(kept.workers)


def _free_cards(worker: Worker, free_mib: list[int]) -> tuple[CardBooking, ...]:
    """What is free of each card, as shares of memory; cards that are cut into instances are left out."""
    found = []
    for gpu, free in zip(worker.gpus, free_mib, strict=False):
        if free > 0 and gpu.healthy and not (gpu.mig is not None and gpu.mig.enabled):
            whole = free == gpu.memory_mib
            found.append(CardBooking(gpu.index, gpu.runtime, memory_mib=None if whole else free))
    return tuple(found)


def _workers(bookings: Iterable[Booking]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(booking.worker for booking in bookings))


def is_large(plan: Plan) -> bool:
    """Whether a unit needs more than one card at once: any card that becomes free serves smaller ones."""
    asked = [role.shape.gpus for role in plan.sized.roles]
    return plan.minimum > 1 or any(each is None or each.count is None or each.count > 1 for each in asked)
