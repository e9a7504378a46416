"""Bookings that are evicted together, what that costs, and how many must stay."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from bayplan.cluster.booking import Booking, Budget
    from bayplan.cluster.identity import GangKey, ReplicaKey, WorkloadKey

Cost = tuple[int, int]
Rank = tuple[str, int]
"""The name and number of a replica. Namespaces do not count: equals keep the order of the bookings."""
Harm = tuple[int, int, int, str, int]
"""The priority, the cost and the rank in one."""


class Unit:
    """Bookings that are evicted together: all of a replica, or all of a gang, on all workers.

    `owner` is the first replica of it: no two units have the same. `cost` is bookings, then cards; `harm` puts the
    priority before it, and equals in the order of their `rank`: smaller is better.
    """

    __slots__ = ("_cards", "_first", "bookings", "priority")  # few: there are tens of thousands of units

    def __init__(self, bookings: tuple[Booking, ...]) -> None:
        self.bookings = bookings
        if len(bookings) == 1:  # as most are
            (booking,) = bookings
            self._first: Booking = booking
            self.priority = booking.priority
            self._cards = cards_of(booking)
        else:
            self._first = min(bookings, key=lambda booking: booking.owner)
            # a unit is as important as its most important booking
            self.priority = max([booking.priority for booking in bookings])
            self._cards = sum(map(cards_of, bookings))

    @property
    def owner(self) -> ReplicaKey:
        return self._first.owner

    @property
    def cost(self) -> Cost:
        return len(self.bookings), self._cards

    @property
    def rank(self) -> Rank:
        return self._first.workload, self._first.replica

    @property
    def harm(self) -> Harm:
        return self.priority, len(self.bookings), self._cards, self._first.workload, self._first.replica

    @property
    def gang(self) -> GangKey | None:
        """The gang, where it is one."""
        return next((booking.gang_key for booking in self.bookings if booking.gang is not None), None)

    @property
    def workers(self) -> list[str]:
        return sorted({booking.worker for booking in self.bookings})

    def __str__(self) -> str:
        what = str(self.owner) if self.gang is None else f"gang {self.gang}"
        return f"{what} (priority {self.priority})"


Units = tuple[Unit, ...]

_Node = tuple[str, "ReplicaKey | GangKey"]  # which of both it is, and its name


def cards_of(booking: Booking) -> int:
    """How many cards a booking holds a part of; an instance of no known card counts as one."""
    parts = booking.cards
    if len(parts) < 2:
        return len(parts)
    return len({part if part.index is None else (part.runtime, part.index) for part in parts})


def units_of(bookings: Iterable[Booking]) -> list[Unit]:
    """The units of these bookings, least harm first."""
    above: dict[_Node, _Node] = {}

    def top(key: _Node) -> _Node:
        # the root of a tree: replicas and gangs with a common booking are one unit
        while (higher := above.get(key, key)) != key:
            key = higher
        return key

    bookings = tuple(bookings)
    for booking in bookings:
        if booking.gang_key is not None:
            own, gang = top(("replica", booking.owner)), top(("gang", booking.gang_key))
            if own != gang:
                above[own] = gang
    groups = _groups_of_gangs(bookings, top) if above else _replicas(bookings)
    return sorted(map(Unit, groups), key=lambda unit: unit.harm)


def _groups_of_gangs(bookings: Iterable[Booking], top: Callable[[_Node], _Node]) -> Iterable[tuple[Booking, ...]]:
    groups: dict[_Node, list[Booking]] = {}
    for booking in bookings:
        groups.setdefault(top(("replica", booking.owner)), []).append(booking)
    return map(tuple, groups.values())


def _replicas(bookings: Iterable[Booking]) -> Iterable[tuple[Booking, ...]]:
    """The bookings of each replica: mostly one, so that a list for each would cost more than it saves."""
    groups: dict[tuple[str, str, int], tuple[Booking, ...]] = {}
    for booking in bookings:
        owner = booking.namespace, booking.workload, booking.replica
        there = groups.get(owner)
        groups[owner] = (booking,) if there is None else (*there, booking)
    return groups.values()


def cost_of(units: Iterable[Unit]) -> Cost:
    """Bookings and cards of all of them."""
    units = tuple(units)
    return sum(unit.cost[0] for unit in units), sum(unit.cost[1] for unit in units)


def bookings_of(units: Iterable[Unit]) -> tuple[Booking, ...]:
    """What would be gone."""
    return tuple(booking for unit in units for booking in unit.bookings)


class Budgets:
    """How many replicas the workloads with a budget can spare."""

    def __init__(self, budgets: Iterable[Budget], bookings: Iterable[Booking]) -> None:
        self._least = {budget.key: budget.min_available for budget in budgets}
        owners = {booking.owner for booking in bookings if booking.key in self._least} if self._least else ()
        self._there: Mapping[WorkloadKey, int] = Counter(owner.workload for owner in owners)

    def __bool__(self) -> bool:
        return bool(self._least)

    def lost(self, units: Iterable[Unit]) -> Counter[WorkloadKey]:
        """Replicas that workloads with a budget would lose."""
        if not self._least:
            return Counter()
        owners = {booking.owner for unit in units for booking in unit.bookings}
        return Counter(owner.workload for owner in owners if owner.workload in self._least)

    def allow(self, units: Iterable[Unit]) -> bool:
        """Whether enough replicas would stay."""
        return not self._least or all(number <= self._spare(workload) for workload, number in self.lost(units).items())

    def told(self, units: Iterable[Unit]) -> str:
        """What must stay, and would not if these went, in words."""
        return " and ".join(
            f"{workload} must keep {self._least[workload]} of {self._there.get(workload, 0)}"
            for workload, number in sorted(self.lost(units).items())
            if number > self._spare(workload)
        )

    def _spare(self, workload: WorkloadKey) -> int:
        return self._there.get(workload, 0) - self._least[workload]
