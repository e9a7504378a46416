"""Chosen cards as bookings: equal shares, whole cards, layers, places."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from bayplan.cluster.booking import WHOLE_CARD_MILLI, CardBooking
from bayplan.placement.asks.ask import Taking
from bayplan.placement.asks.booked_memory import booked_mib
from bayplan.placement.cards.layers.layer_cards import layers_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.cluster.card_set import CardSet
    from bayplan.placement.asks.ask import Ask, CardShape


def book_cards(ask: Ask, shape: CardShape, cards: CardSet, places: Sequence[int]) -> list[CardBooking]:
    """Bookings of the cards at these positions: equal shares with their headroom, or whole cards, which contain it."""
    if ask.taking is Taking.WHOLE:
        wholes = _whole_cards(cards)
        return [wholes[place] for place in places]
    compute_milli = ask.compute_milli or None
    booked = []
    for place in places:
        card = cards.cards[place]
        memory = booked_mib(ask, shape, cards.memory_mib[place]) if ask.rule.needs_memory else None
        booked.append(_share(card.index, card.runtime, memory, compute_milli, shape.headroom_mib))
    return booked


@lru_cache(maxsize=4096)  # few sets of cards are distinct, and equal bookings may be one object: they never change
def _whole_cards(cards: CardSet) -> tuple[CardBooking, ...]:
    return tuple(CardBooking(card.index, card.runtime) for card in cards.cards)


@lru_cache(maxsize=4096)  # replicas of a workload take equal shares
def _share(
    index: int, runtime: str, memory_mib: int | None, compute_milli: int | None, headroom_mib: int
) -> CardBooking:
    return CardBooking(index, runtime, memory_mib, compute_milli, headroom_mib=headroom_mib)


def book_layers(ask: Ask, cards: CardSet, places: Sequence[int], held: Sequence[int]) -> list[CardBooking]:
    """Bookings of `held` layers on each of these cards; a card that gets none is not booked."""
    layers = layers_of(ask)
    compute_milli = ask.compute_milli or None
    return [
        CardBooking(cards.cards[place].index, cards.cards[place].runtime, layers.card_mib(count), compute_milli)
        for place, count in zip(places, held, strict=True)
        if count
    ]


def book_places(cards: CardSet, given: Sequence[int]) -> list[CardBooking]:
    """Bookings of `given` places on the card at each position; the parts of memory and compute are rounded down."""
    booked = []
    for place, count in enumerate(given):
        if count:
            card, memory, places = cards.cards[place], cards.memory_mib[place], cards.places[place]
            mib = memory * count // places if memory >= 0 else None  # a negative size is not known
            milli = count * WHOLE_CARD_MILLI // places
            booked.append(CardBooking(card.index, card.runtime, mib, milli, places=count))
    return booked
