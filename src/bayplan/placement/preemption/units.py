"""Who falls together, what that costs, and how many must stay."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bayplan.cluster.booking import Booking, Budget

Cost = tuple[int, int]
Owner = tuple[str, int]


class Unit:
    """Bookings that fall together: all of a replica, or all of a gang, wherever they are.

    `owner` is the first replica of it: no two units have the same. `cost` is bookings, then cards; `harm` puts the
    priority before it, and equals in the order of their names: smaller is better.
    """

    __slots__ = ("bookings", "cost", "harm", "owner", "priority")

    def __init__(self, bookings: tuple[Booking, ...]) -> None:
        self.bookings = bookings
        self.owner: Owner = min([booking.owner for booking in bookings])
        self.priority = max([booking.priority for booking in bookings])
        self.cost: Cost = (len(bookings), sum(map(cards_of, bookings)))
        self.harm = (self.priority, self.cost, self.owner)

    @property
    def gang(self) -> str | None:
        """The gang, where it is one."""
        return next((booking.gang for booking in self.bookings if booking.gang is not None), None)

    @property
    def workers(self) -> list[str]:
        return sorted({booking.worker for booking in self.bookings})

    def __str__(self) -> str:
        workload, replica = self.owner
        what = f"{workload}/{replica}" if self.gang is None else f"gang {self.gang}"
        return f"{what} (priority {self.priority})"


Units = tuple[Unit, ...]


def cards_of(booking: Booking) -> int:
    """How many cards a booking holds a part of; an instance of no known card counts as one."""
    parts = booking.cards
    return len(parts) if len(parts) < 2 else len({part.card or part for part in parts})


def units_of(bookings: Iterable[Booking]) -> list[Unit]:
    """All of these bookings, each with those that fall with it; in the order of their harm."""
    above: dict[object, object] = {}

    def top(key: object) -> object:
        while (higher := above.get(key, key)) != key:
            key = higher
        return key

    bookings = tuple(bookings)
    for booking in bookings:
        if booking.gang is not None and (own := top(booking.owner)) != (gang := top(booking.gang)):
            above[own] = gang
    groups: dict[object, list[Booking]] = {}
    for booking in bookings:
        groups.setdefault(top(booking.owner) if above else booking.owner, []).append(booking)
    return sorted((Unit(tuple(group)) for group in groups.values()), key=lambda unit: unit.harm)


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
        self._least = {budget.workload: budget.min_available for budget in budgets}
        owners = {booking.owner for booking in bookings if booking.workload in self._least} if self._least else ()
        self._there: Mapping[str, int] = Counter(workload for workload, _ in owners)

    def __bool__(self) -> bool:
        return bool(self._least)

    def lost(self, units: Iterable[Unit]) -> Counter[str]:
        """Replicas that workloads with a budget would lose."""
        if not self._least:
            return Counter()
        owners = {booking.owner for unit in units for booking in unit.bookings}
        return Counter(workload for workload, _ in owners if workload in self._least)

    def allow(self, units: Iterable[Unit]) -> bool:
        """Whether enough replicas would stay."""
        return all(number <= self._spare(workload) for workload, number in self.lost(units).items())

    def told(self, units: Iterable[Unit]) -> str:
        """What must stay, and would not if these went, in words."""
        return " and ".join(
            f"{workload} must keep {self._least[workload]} of {self._there.get(workload, 0)}"
            for workload, number in sorted(self.lost(units).items())
            if number > self._spare(workload)
        )

    def _spare(self, workload: str) -> int:
        return self._there.get(workload, 0) - self._least[workload]
