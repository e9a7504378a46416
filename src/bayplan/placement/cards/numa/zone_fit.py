"""Whether one NUMA zone holds what a replica asks for, on workers that insist on it, and which cards then remain."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bayplan.placement.asks.ask import Taking
from bayplan.placement.cards.card_facts import UNUSABLE
from bayplan.placement.cards.cheapest_cards import NEVER, least
from bayplan.placement.cards.fit import READS as FIT_READS, FittingShape, fitting_shapes
from bayplan.placement.cards.mig.instances import ROOM_READS, rooms
from bayplan.placement.cards.numa.zones import READS, demands, together, zones_of, zoning
from bayplan.placement.cards.room import NO_ROOM, holds, room_of
from bayplan.placement.cards.rows import shown, some_rows

if TYPE_CHECKING:
    from bayplan.framework.plugins import BoolArray, IndexArray
    from bayplan.placement.asks.ask import Ask, CardNeed
    from bayplan.placement.cards.numa.zones import Zones
    from bayplan.placement.cards.rows import CardRows, GatheredRows, Numbers


class Aligned(NamedTuple):
    """Of each row whether a zone holds the request, and the room that is left on its cards.

    On a worker that insists on single zones only cards of zones that hold the request have room: for one card any of
    them, for several those of the zone with the fewest free cards that suffice (where a replica spans workers, with
    the most), for containers one by one the cards of each. Where no zone holds it, all cards keep their room.
    A worker that has too few cards over all zones is for others to refuse, and fits here.
    """

    fits: BoolArray
    room: Numbers


def aligned(ask: Ask, rows: CardRows, room: Numbers) -> Aligned:
    """The rows with `room` on their cards; it is not written to."""
    known = zoning(rows.pools)
    index = np.flatnonzero(known.strict[rows.numa_id])
    fits = np.ones(len(rows.numa_id), np.bool_)
    if ask.unknown or not len(index):
        return Aligned(fits, room)
    room = room.copy()
    in_turn = (len(ask.containers) > 1) & ~known.by_pod[rows.numa_id[index]]
    for places, align in ((index[~in_turn], _as_one), (index[in_turn], _in_turn)):
        if len(places):
            fits[places], room[places] = align(ask, _some(ask, rows, places), room[places])
    return Aligned(fits, room)


def aligned_room(ask: Ask, rows: CardRows) -> Numbers:
    """As `room_of`, where some workers insist on single zones: cards of other zones have no room there."""
    return aligned(ask, rows, room_of(ask, rows)).room


def aligned_slices(ask: Ask, rows: CardRows) -> BoolArray:
    """The cards from which MIG instances may be taken: `card_usable`, less those of zones that do not hold the ask."""
    free = np.zeros(rows.card_usable.shape, np.int64)
    allowed: BoolArray = rows.card_usable & (aligned(ask, rows, free).room > NO_ROOM)
    return allowed


_ALIGN_READS = tuple(dict.fromkeys((*FIT_READS, *READS)))
_SLICE_READS = tuple(dict.fromkeys((*ROOM_READS, *READS)))


def _some(ask: Ask, rows: CardRows, places: IndexArray) -> GatheredRows:
    """The rows at these places, with what aligning reads of them."""
    return some_rows(rows, _SLICE_READS if ask.taking is Taking.SLICES else _ALIGN_READS, places)


def _as_one(ask: Ask, rows: GatheredRows, room: Numbers) -> tuple[BoolArray, Numbers]:
    """All of the request in one zone."""
    zones = zones_of(rows)
    hosting = zones.hosting(together(ask, 0))
    if ask.taking is Taking.NOTHING:
        return np.asarray(hosting.any(1)), room
    if ask.taking is Taking.SLICES:
        return _slices_as_one(ask, rows, room, zones, hosting)
    return _in_best_zone(ask, rows, room, hosting[:, :, None] & zones.inside)


def cards_in(ask: Ask, rows: CardRows, zones: Zones, need: CardNeed) -> Numbers:
    """How many cards that hold the need each zone has, or how many MIG instances it could give.

    Instances of no known card may lie in any zone.
    """
    if ask.taking is not Taking.SLICES:
        return zones.cards(holds(ask, need, room_of(ask, rows), rows.card_memory_mib))
    usable = [rows.card_usable & zones.inside[:, zone] for zone in range(zones.there.shape[1])]
    counts = [rooms(ask, shown(rows, ROOM_READS).having(card_usable=each)) for each in usable]
    return np.stack(counts, axis=1) * zones.there


def _slices_as_one(
    ask: Ask, rows: CardRows, room: Numbers, zones: Zones, hosting: BoolArray
) -> tuple[BoolArray, Numbers]:
    """All instances from the zone with the fewest that suffice."""
    counts = cards_in(ask, rows, zones, ask.shapes[0])
    holds = hosting & (counts >= ask.card_counts[0])
    fits: BoolArray = np.asarray(holds.any(1))
    best = np.where(holds, counts, NEVER).argmin(1)
    inside = zones.inside[np.arange(rows.size), best]
    return fits | (rooms(ask, rows) < ask.card_counts[0]), np.where(inside | ~fits[:, None], room, NO_ROOM)


def _in_best_zone(ask: Ask, rows: GatheredRows, room: Numbers, inside: BoolArray) -> tuple[BoolArray, Numbers]:
    tried = [_zone_fit(ask, rows, room, inside[:, zone]) for zone in range(inside.shape[1])]
    best, candidates = tried[0]
    sign = -1 if ask.spans else 1
    for found, there in tried[1:]:
        better = _before(found, sign * there.sum(1), best, sign * candidates.sum(1))
        candidates = np.where(better[:, None], there, candidates)
        best = FittingShape(*(np.where(better, new, old) for new, old in zip(found, best, strict=True)))
    for found, there in tried if _takes_one(ask) else ():
        equal = (found.order == best.order) & (found.rank == best.rank)
        candidates = candidates | (there & equal[:, None])
    fits = best.order >= 0
    short = fitting_shapes(ask, rows, room).order < 0
    return fits | short, np.where(candidates | ~fits[:, None], room, NO_ROOM)


def _zone_fit(ask: Ask, rows: GatheredRows, room: Numbers, inside: BoolArray) -> tuple[FittingShape, BoolArray]:
    """What the cards of one zone give, and which of them have room for anything."""
    there = rows.having(card_rank=np.where(inside, rows.card_rank, UNUSABLE))
    confined = np.where(inside, room, NO_ROOM)
    return fitting_shapes(ask, there, confined), confined > NO_ROOM


def _before(found: FittingShape, cards: Numbers, best: FittingShape, most: Numbers) -> BoolArray:
    """Where a further zone is better than the best so far: preferred cards, an earlier shape, fewer free cards."""
    ties = (found.rank == best.rank) & ((found.order < best.order) | ((found.order == best.order) & (cards < most)))
    before: BoolArray = (found.order >= 0) & ((best.order < 0) | (found.rank < best.rank) | ties)
    return before


def _takes_one(ask: Ask) -> bool:
    """Whether every shape is a single card, so that no set over several zones could be made of what remains."""
    return ask.layers is None and not ask.spans and bool((ask.card_counts == 1).all())


def _in_turn(ask: Ask, rows: GatheredRows, room: Numbers) -> tuple[BoolArray, Numbers]:
    """Container after container, each in the lowest zone that holds it; the cards of each are fixed here."""
    zones, lines = zones_of(rows), np.arange(rows.size)
    cpu, ram = zones.cpu_milli.copy(), zones.ram_mib.copy()
    giving = _SlicesInTurn(ask, rows, zones) if ask.taking is Taking.SLICES else _CardsInTurn(ask, rows, room, zones)
    fits = np.ones(rows.size, np.bool_)
    for demand in demands(ask, giving.wanted):
        holds = zones.there & (cpu >= demand.cpu_milli) & (ram >= demand.ram_mib) & (giving.left >= demand.cards)
        fits &= holds.any(1)
        zone = holds.argmax(1)
        cpu[lines, zone] -= demand.cpu_milli
        ram[lines, zone] -= demand.ram_mib
        giving.give(zone, fits * demand.cards)
    narrowed = np.where(giving.taken | ~fits[:, None], room, NO_ROOM) if giving.wanted else room
    return fits | giving.short, narrowed


class _CardsInTurn:
    """Cards that containers take one after the other: `left` in each zone, `taken` so far; the least free go first."""

    def __init__(self, ask: Ask, rows: CardRows, room: Numbers, zones: Zones) -> None:
        self._rows, self._zones = rows, zones
        self._cards = np.zeros(room.shape, np.bool_)
        self.wanted = ask.shapes[0].cards if ask.shapes else 0
        if self.wanted:
            leader = fitting_shapes(ask, rows, room).leader
            held = holds(ask, ask.shapes[0], room, rows.card_memory_mib)
            self._cards = held & (rows.card_leader == leader[:, None])
        self.short: BoolArray = self._cards.sum(1) < self.wanted
        self.taken = np.zeros(room.shape, np.bool_)
        self.left = zones.cards(self._cards)

    def give(self, zone: Numbers, cards: Numbers) -> None:
        """Take this number from this zone of each row."""
        inside = self._zones.inside[np.arange(len(zone)), zone]
        given = least(self._rows.card_free_mib, self._cards & inside, cards)
        self._cards, self.taken = self._cards & ~given, self.taken | given
        self.left = self._zones.cards(self._cards)


class _SlicesInTurn:
    """The same of MIG instances: they are counted, and all cards of a zone that gives some count as taken."""

    def __init__(self, ask: Ask, rows: CardRows, zones: Zones) -> None:
        self._zones = zones
        self.wanted = ask.shapes[0].cards
        self.short: BoolArray = rooms(ask, rows) < self.wanted
        self.taken = np.zeros(rows.card_numa.shape, np.bool_)
        self.left = cards_in(ask, rows, zones, ask.shapes[0])

    def give(self, zone: Numbers, cards: Numbers) -> None:
        """Take this number from this zone of each row."""
        lines = np.arange(len(zone))
        self.left[lines, zone] -= cards
        self.taken |= self._zones.inside[lines, zone] & (cards > 0)[:, None]
