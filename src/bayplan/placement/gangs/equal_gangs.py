"""Gangs of equal members as one decision: the domain, the workers and the cards of all of them at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.cluster.identity import DEFAULT_NAMESPACE
from bayplan.placement.asks.subject import Subject
from bayplan.placement.cards.card_bookings import book_cards, book_places
from bayplan.placement.decision.bookings import NO_CARDS
from bayplan.placement.decision.placed import Placed
from bayplan.placement.decision.tuning import PLAIN
from bayplan.placement.gangs.lookahead import Copies, Copy, Writes, positions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.cluster.domains import Domains
    from bayplan.cluster.topology import Level
    from bayplan.framework.fork import Fork
    from bayplan.framework.plugins import FloatArray
    from bayplan.framework.table import Table
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.decision.bookings import Devices
    from bayplan.placement.decision.strategies import Strategies
    from bayplan.placement.decision.tuning import Tuning
    from bayplan.placement.gangs.lookahead import CopyCards

_REFUSED = -np.inf


@dataclass(frozen=True, slots=True)
class GangAsk:
    """Equal members: place `desired`, else as many as fit but at least `minimum`, all inside one domain of a level.

    `rooms_by` is the ask by which the room of domains is counted, where `ask` spares cards only for `desired` copies.
    """

    workload: str
    ask: Ask
    desired: int
    minimum: int
    within: Level | None = None
    priority: int = 0
    namespace: str = DEFAULT_NAMESPACE
    rooms_by: Ask | None = None


class GangPlaced:
    """The members of a gang: the worker and the cards of each. Bookings are made when somebody looks at them."""

    def __init__(self, gang: GangAsk, picked: Sequence[Copy], copies: Copies, devices: Devices) -> None:
        self.gang, self.picked = gang, picked
        self._devices = devices
        self.taken = [copies.taken(row, number) for row, number, _ in picked]

    @cached_property
    def members(self) -> tuple[Placed, ...]:
        """What each member books."""
        gang = self.gang
        subject = Subject(gang.workload, 0, gang.priority, gang.workload, namespace=gang.namespace)
        return tuple(
            copy_placed(gang.ask, self._devices, copy.row, taken, replace(subject, replica=number))
            for number, (copy, taken) in enumerate(zip(self.picked, self.taken, strict=True))
        )


def copy_placed(ask: Ask, devices: Devices, row: int, taken: CopyCards, subject: Subject) -> Placed:
    """What one copy books."""
    places, cards = positions(taken.bits), devices.cards(row)
    shape = ask.shapes[taken.shape] if places else NO_CARDS
    booked = book_places(cards, taken.places) if taken.places else book_cards(ask, shape, cards, places)
    return Placed(ask.tier, shape, (devices.part(ask, row, booked, subject),))


class GangPlacer:
    """Decides for gangs, on one table. What it knows of an ask is kept, and brought up to date when it is asked."""

    def __init__(
        self, strategies: Strategies, strategy: str, table: Table | Fork | None = None, tuning: Tuning = PLAIN
    ) -> None:
        self._strategies, self._strategy, self._tuning = strategies, strategy, tuning
        self._table = strategies.snapshot.table if table is None else table
        self._devices = strategies.devices(strategy)
        self._known: dict[Ask, Copies] = {}

    def place(self, gang: GangAsk) -> tuple[GangPlaced | None, Writes]:
        """Where the gang goes (None where not even its minimum fits) and the rows as they are then."""
        (found,), writes = self.place_many((gang,))
        return found, writes

    def place_many(self, gangs: Sequence[GangAsk]) -> tuple[list[GangPlaced | None], Writes]:
        """One gang after the other, each on what the former ones leave; all of them ask the same, at one level.

        Equal to placing and booking them one by one, because nothing that they leave behind has to be asked again.
        """
        copies = self.copies(gangs[0].ask)
        level = gangs[0].within
        domains = None if level is None else self._strategies.snapshot.domains[level]
        picking = _Picking(copies, self._table.size, domains, self.copies(gangs[0].rooms_by or gangs[0].ask))
        found: list[GangPlaced | None] = []
        for gang in gangs:
            picked = picking.pick(gang.desired, gang.minimum)
            found.append(GangPlaced(gang, picked, copies, self._devices) if picked else None)
        return found, picking.writes()

    def copies(self, ask: Ask) -> Copies:
        """What is known of an ask, as of now."""
        known = self._known.get(ask)
        if known is None:
            known = self._known[ask] = Copies(self._strategies, self._strategy, ask, self._table, self._tuning)
        known.sync()
        return known


class _Picking:
    """What gangs that were not booked yet have taken of the copies: inside domains of one level, or anywhere."""

    def __init__(self, copies: Copies, size: int, domains: Domains | None, rooms: Copies) -> None:
        self._copies, self._size, self._domains = copies, size, domains
        self._taken: dict[int, int] = {}
        self._sums: Any = rooms.rooms.sum(keepdims=True) if domains is None else rooms.sums(domains).copy()
        self._totals: dict[int, FloatArray] = {}

    def writes(self) -> Writes:
        """The rows as they are once all that was picked is booked."""
        return Writes(self._copies, self._taken)

    def pick(self, desired: int, minimum: int) -> list[Copy]:
        """The copies of one gang, the best first; none where fewer than the minimum fit."""
        domain = self._domain(desired, minimum)
        return [] if domain is None else self._best(desired, domain)

    def _domain(self, desired: int, minimum: int) -> int | None:
        """The domain with the least room that holds all; where none does, the one with the most, if that is enough."""
        sums = self._sums
        if not len(sums):
            return None
        best = int((sums - desired).view(np.uint64).argmin())  # what is too little wraps to more than all others
        if sums.item(best) < desired:
            best = int(sums.argmax())
            if sums.item(best) < minimum:
                return None
        return best

    def _best(self, members: int, domain: int) -> list[Copy]:
        domains = self._domains
        start, stop = (0, self._size) if domains is None else (domains.starts.item(domain), domains.stops.item(domain))
        totals = self._totals.get(domain)
        if totals is None:
            totals = self._totals[domain] = self._copies.firsts(slice(start, stop))
        taken, found = self._taken, []
        for _ in range(members):
            place = int(totals.argmax())
            total = totals.item(place)
            if total == _REFUSED:
                break
            row = start + place
            number = taken.get(row, 0)
            found.append(Copy(row, number, total))
            taken[row] = number + 1
            totals[place] = self._copies.total(number + 1, row)
        self._sums[domain] -= len(found)
        return found
