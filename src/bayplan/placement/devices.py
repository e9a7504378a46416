"""The resolve step of tiers that stay on one worker: which cards the picked worker gives, and the booking of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.cluster.booking import Booking, CardBooking
from bayplan.cluster.worker import uid_hash
from bayplan.framework.plugins import Resolution
from bayplan.placement import layer_cards
from bayplan.placement.ask import CardShape, Taking
from bayplan.placement.card_facts import card_facts
from bayplan.placement.looking import choose, look
from bayplan.placement.placed import Part, Placed
from bayplan.placement.room import booked_mib
from bayplan.placement.tier import Tier

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.cluster.card_set import CardSet
    from bayplan.cluster.holding import Holding
    from bayplan.cluster.snapshot import Snapshot
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.fork import Fork
    from bayplan.framework.table import Table
    from bayplan.placement.ask import Ask
    from bayplan.placement.looking import CardOrder
    from bayplan.placement.subject import Subject

NO_CARDS = CardShape(0)


class Devices:
    """Turns a worker into cards, by the very functions that scored it."""

    name = "devices"

    def __init__(self, snapshot: Snapshot, order: CardOrder) -> None:
        self._snapshot = snapshot
        self._order: CardOrder = order

    def resolve(self, ask: Ask, table: Any, row: int, cycle: Cycle) -> Resolution:
        if ask.spans:  # a look at who could take part, not a placement
            return Resolution(None, {})
        holding = self._snapshot.holding(row, table, foreseen=True)
        if ask.quick and self._order == "tight":
            placed = self._quickly(ask, holding, row, cycle.subject)
        else:
            placed = self.placed(ask, table, row, cycle.subject)
        holding.count(placed.parts[0].booking, 1)
        return Resolution(placed, {row: holding.changed})

    def _quickly(self, ask: Ask, holding: Holding, row: int, subject: Subject) -> Placed:
        """As `placed`, for the commonest asks, from the one row as plain numbers."""
        shape, cards = ask.shapes[0], holding.site.cards
        places = usable_places(ask, cards, self._uid_hashes(row) if ask.selected is not None else 0)
        if ask.taking is Taking.SHARE:
            room = holding["card_share_free_mib"]
            place = min([each for each in places if room[each] >= shape.need_mib], key=room.__getitem__)
            booked = [CardBooking(cards.cards[place].index, cards.cards[place].runtime, shape.need_mib)]
        else:
            free, memory = holding["card_wholly_free"], holding["card_free_mib"]
            booked = book_cards(ask, 0, cards, tightest_kind(ask, cards, places, free, memory, shape.cards))
        return Placed(ask.tier, shape, (self.part(ask, row, booked, subject),))

    def _uid_hashes(self, row: int) -> int:
        return uid_hash(self._snapshot.workers[row].uid)

    def placed(self, ask: Ask, table: Table | Fork, row: int, subject: Subject) -> Placed:
        """What a replica would hold on the worker of this row."""
        if ask.taking is Taking.NOTHING:
            return Placed(ask.tier, NO_CARDS, (self.part(ask, row, (), subject),))
        rows = choose(ask, look(ask, table, np.array([row], np.intp)), self._order, subject)
        places = np.flatnonzero(rows.chosen[0]).tolist()
        cards = self._snapshot.site(row).cards
        if ask.layers is not None:
            return self._by_layers(
                ask, row, cards, [(place, int(rows.card_room[0][place])) for place in places], subject
            )
        shape = ask.shapes[int(rows.fit_shape[0])]
        booked = book_cards(ask, shape.need_mib, cards, places)
        part = self.part(ask, row, booked, subject)
        if not ask.overcommit:
            return Placed(ask.tier, shape, (part,))
        free = [max(0, int(rows.card_free_mib[0][place])) for place in places]
        excess = [(card.memory_mib or 0) - amount for card, amount in zip(booked, free, strict=True)]
        return Placed(oversold_tier(ask, shape), shape, (part,), sum(max(0, each) for each in excess))

    def _by_layers(
        self, ask: Ask, row: int, cards: CardSet, free: Sequence[tuple[int, int]], subject: Subject
    ) -> Placed:
        layers = ask.layers
        assert layers is not None  # noqa: S101 (whoever comes here divides by layers)
        held = layer_cards.shares(layers, [amount for _, amount in free])
        booked = book_layers(ask, cards, [place for place, _ in free], held)
        left = layers.count - sum(held) + layers.kept
        part = self.part(ask, row, booked, subject, host_mib=layers.host_mib(left), layers=sum(held))
        return Placed(ask.tier, CardShape(len(booked)), (part,))

    def part(
        self,
        ask: Ask,
        row: int,
        cards: Sequence[CardBooking],
        subject: Subject,
        *,
        host_mib: int = 0,
        layers: int | None = None,
    ) -> Part:
        """The booking on one worker."""
        booking = Booking(
            workload=subject.workload,
            replica=subject.replica,
            worker=self._snapshot.workers[row].name,
            cpu_milli=ask.cpu_milli or 0,
            ram_mib=(ask.ram_mib or 0) + host_mib,
            cards=tuple(cards),
            priority=subject.priority,
            gang=subject.gang,
        )
        return Part(row, booking, layers)


def usable_places(ask: Ask, cards: CardSet, uid: int) -> list[int]:
    """The positions of the cards that an ask may use on a worker."""
    ranks = card_facts(ask.rule, cards).ranks
    places = [place for place, rank in enumerate(ranks) if rank >= 0]
    if ask.selected is None:
        return places
    return [place for place in places if (uid, cards.cards[place]) in ask.selected]


def tightest_kind(
    ask: Ask, cards: CardSet, places: Sequence[int], free: Sequence[bool], free_mib: Sequence[int], number: int
) -> list[int]:
    """So many wholly free cards of one kind, the kind and the cards with the least free memory."""
    facts = card_facts(ask.rule, cards)
    kinds: dict[int, list[int]] = {}
    for place in places:
        if free[place]:
            kinds.setdefault(facts.leaders[place], []).append(place)
    enough = [sorted(each, key=free_mib.__getitem__) for each in kinds.values() if len(each) >= number]
    return sorted(min(enough, key=lambda each: max(free_mib[place] for place in each))[:number])


def oversold_tier(ask: Ask, shape: CardShape) -> Tier:
    """The tier that a shape belongs to: where cards are oversold the shapes of several tiers compete."""
    if ask.tier is Tier.AS_REQUESTED:
        return ask.tier
    return Tier.ONE_GPU if shape.cards == 1 else Tier.ONE_WORKER


def book_cards(ask: Ask, need_mib: int, cards: CardSet, places: Sequence[int]) -> list[CardBooking]:
    """Bookings of equal shares, or of whole cards."""
    booked = []
    for place in places:
        card: Any = cards.cards[place]
        memory = booked_mib(ask, need_mib, cards.memory_mib[place]) if ask.rule.needs_memory else None
        if ask.taking is Taking.WHOLE:
            booked.append(CardBooking(card.index, card.runtime))
        else:
            booked.append(CardBooking(card.index, card.runtime, memory, ask.compute_milli or None))
    return booked


def book_layers(ask: Ask, cards: CardSet, places: Sequence[int], held: Sequence[int]) -> list[CardBooking]:
    """Bookings of so many layers on each card; a card that gets none is not booked."""
    layers = ask.layers
    assert layers is not None  # noqa: S101 (whoever comes here divides by layers)
    compute_milli = ask.compute_milli or None
    return [
        CardBooking(cards.cards[place].index, cards.cards[place].runtime, layers.card_mib(count), compute_milli)
        for place, count in zip(places, held, strict=True)
        if count
    ]
