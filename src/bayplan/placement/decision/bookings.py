"""The resolve step of tiers that stay on one worker: which cards the picked worker gives, and the booking of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.cluster.booking import Booking
from bayplan.cluster.worker import uid_hash
from bayplan.framework.plugins import Resolution
from bayplan.placement.asks.ask import CardShape, Taking
from bayplan.placement.asks.tier import Tier
from bayplan.placement.cards.card_bookings import book_cards, book_layers, book_places
from bayplan.placement.cards.choose import choose, look, slice_places
from bayplan.placement.cards.layers import layer_cards
from bayplan.placement.cards.linked.linked_sets import near_of
from bayplan.placement.cards.mig.instances import picked, slice_loads
from bayplan.placement.cards.quick_cards import quick_cards
from bayplan.placement.cards.usable import usable_places
from bayplan.placement.decision.placed import Placed, WorkerShare

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.cluster.booking import CardBooking
    from bayplan.cluster.card_set import CardSet
    from bayplan.cluster.holding import Holding
    from bayplan.cluster.snapshot import Snapshot
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.fork import Fork
    from bayplan.framework.table import Table
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.asks.subject import Subject
    from bayplan.placement.cards.choose import CardOrder
    from bayplan.placement.cards.linked.near_sets import NearSets

NO_CARDS = CardShape(0)


class Devices:
    """Turns a worker into cards, by the same functions that scored it."""

    name = "devices"

    def __init__(self, snapshot: Snapshot, order: CardOrder) -> None:
        self._snapshot = snapshot
        self._order: CardOrder = order

    def resolve(self, ask: Ask, table: Any, row: int, cycle: Cycle) -> Resolution:
        if ask.spans:  # only says which workers could take part; nothing is placed
            return Resolution(None, {})
        holding = self._snapshot.holding(row, table, foreseen=True)
        # `quick_cards` knows no other order, and no zones
        if ask.quick and self._order == "tight" and not self._aligns(row):
            placed = self._quickly(ask, holding, row, cycle.subject)
        elif ask.taking is Taking.SLICES:
            placed = self._slices(ask, table, holding, row, cycle.subject)
        else:
            placed = self.placed(ask, table, row, cycle.subject)
        holding.count(placed.shares[0].booking, 1)
        return Resolution(placed, {row: holding.delta})

    def _quickly(self, ask: Ask, holding: Holding, row: int, subject: Subject) -> Placed:
        """As `placed`, from the row as plain numbers."""
        shape, cards = ask.shapes[0], holding.site.cards
        usable = usable_places(ask, cards, self._uid_hashes(row) if ask.selected is not None else 0)
        places = quick_cards(ask, holding, usable, lambda: self._near(ask, row))
        booked = book_cards(ask, shape, cards, places)
        return Placed(ask.tier, shape, (self.part(ask, row, booked, subject),))

    def _slices(self, ask: Ask, table: Table | Fork, holding: Holding, row: int, subject: Subject) -> Placed:
        places = usable_places(ask, holding.site.cards, self._uid_hashes(row) if ask.selected is not None else 0)
        if self._aligns(row):
            places = slice_places(ask, table, row)
        load = None
        if self._order == "even":
            uid, bookings = np.array([self._uid_hashes(row)]), np.array([holding["card_bookings"]])
            load = slice_loads(subject, uid, bookings)[0].tolist()
        booked = picked(ask, holding, places, load)
        return Placed(ask.tier, ask.shapes[0], (self.part(ask, row, booked, subject),))

    def _aligns(self, row: int) -> bool:
        """Whether the worker insists on single NUMA zones."""
        numa = self._snapshot.workers[row].numa
        return numa is not None and numa.strict

    def _uid_hashes(self, row: int) -> int:
        return uid_hash(self._snapshot.workers[row].uid)

    def _near(self, ask: Ask, row: int) -> NearSets:
        """The sets of a worker's cards that are linked as the ask demands."""
        columns = self._snapshot.table.columns
        links_id, cards_id = int(columns["links_id"][row]), int(columns["cards_id"][row])
        return near_of(ask, self._snapshot.pools, links_id, cards_id, ask.shapes[0].cards)

    def placed(self, ask: Ask, table: Table | Fork, row: int, subject: Subject) -> Placed:
        """What a replica would hold on the worker of this row."""
        if ask.taking is Taking.NOTHING:
            return Placed(ask.tier, NO_CARDS, (self.part(ask, row, (), subject),))
        if ask.taking is Taking.SLICES:
            return self._slices(ask, table, self._snapshot.holding(row, table), row, subject)
        rows = look(ask, table, np.array([row], np.intp))
        given = choose(ask, rows, self._order, subject)
        places = np.flatnonzero(given.chosen[0]).tolist()
        cards = self._snapshot.site(row).cards
        if ask.taking is Taking.PLACES:
            booked = book_places(cards, given.places[0].tolist())
            return Placed(ask.tier, ask.shapes[0], (self.part(ask, row, booked, subject),))
        if ask.layers is not None:
            return self._by_layers(
                ask, row, cards, [(place, int(rows.card_room[0][place])) for place in places], subject
            )
        shape = ask.shapes[int(rows.fit_shape[0])]
        booked = book_cards(ask, shape, cards, places)
        part = self.part(ask, row, booked, subject)
        if not ask.overcommit:
            return Placed(ask.tier, shape, (part,))
        free = [max(0, int(rows.card_free_mib[0][place])) for place in places]
        excess = [
            (card.memory_mib or 0) + card.headroom_mib - amount for card, amount in zip(booked, free, strict=True)
        ]
        return Placed(oversold_tier(ask, shape), shape, (part,), sum(max(0, each) for each in excess))

    def counted(self, ask: Ask, table: Table | Fork, rows: Sequence[int], subject: Subject) -> list[tuple[Tier, int]]:
        """The tier and the number of cards of `placed` on each of these workers; equal shapes need no look at cards."""
        if ask.quick:
            return [(ask.tier, ask.shapes[0].cards)] * len(rows)
        if len(rows) < 2 or ask.layers is not None or ask.overcommit or ask.taking is not Taking.SHARE:
            found = [self.placed(ask, table, row, subject) for row in rows]
            return [(each.tier, sum(len(part.booking.cards) for part in each.shares)) for each in found]
        chosen = choose(ask, look(ask, table, np.array(rows, np.intp)), self._order, subject).chosen
        return [(ask.tier, cards) for cards in chosen.sum(1).tolist()]

    def _by_layers(
        self, ask: Ask, row: int, cards: CardSet, free: Sequence[tuple[int, int]], subject: Subject
    ) -> Placed:
        layers = layer_cards.layers_of(ask)
        held = layer_cards.shares(layers, [amount for _, amount in free])
        booked = book_layers(ask, cards, [place for place, _ in free], held)
        left = layers.count - sum(held) + layers.kept
        part = self.part(ask, row, booked, subject, host_mib=layers.host_mib(left), layers=sum(held))
        return Placed(ask.tier, CardShape(len(booked)), (part,))

    def cards(self, row: int) -> CardSet:
        """The cards of the worker of a row."""
        return self._snapshot.site(row).cards

    def part(
        self,
        ask: Ask,
        row: int,
        cards: Sequence[CardBooking],
        subject: Subject,
        *,
        host_mib: int = 0,
        layers: int | None = None,
        replica: int | None = None,
    ) -> WorkerShare:
        """The booking on one worker, of the subject or of another replica of its workload."""
        booking = Booking(
            subject.workload,
            subject.replica if replica is None else replica,
            self._snapshot.workers[row].name,
            ask.cpu_milli or 0,
            (ask.ram_mib or 0) + host_mib,
            tuple(cards),
            subject.priority,
            subject.gang,
            subject.namespace,
            ask.resources,
        )
        return WorkerShare(row, booking, layers)


def oversold_tier(ask: Ask, shape: CardShape) -> Tier:
    """The tier of a shape: an ask that oversells cards has the shapes of several tiers."""
    if ask.tier is Tier.AS_REQUESTED:
        return ask.tier
    return Tier.ONE_GPU if shape.cards == 1 else Tier.ONE_WORKER
