"""The cards of one worker for the commonest asks, chosen in plain numbers: a twin of `choose`.

A decision resolves one row. Columns of one row cost ten to twenty times as much as plain numbers (110 µs and 5 to 10),
so asks that are `quick` are answered here; a property test compares both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.placement.asks.ask import Taking
from bayplan.placement.cards.card_facts import card_facts
from bayplan.placement.cards.masks import places_of
from bayplan.placement.cards.set_copies import pick, whole_options

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bayplan.cluster.card_set import CardSet
    from bayplan.cluster.holding import Holding
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.cards.linked.near_sets import NearSets


def quick_cards(ask: Ask, holding: Holding, usable: Sequence[int], near: Callable[[], NearSets]) -> list[int]:
    """The positions of the cards that `choose` takes in the order `tight`, for a quick ask that fits the worker.

    `near` is asked only where whole cards are wanted.
    """
    if ask.by_compute:
        room, share, memory = holding["card_free_milli"], holding["card_shareable"], holding["card_free_mib"]
        enough = [place for place in usable if share[place] and room[place] >= ask.compute_milli]
        return [min(enough, key=lambda place: (room[place], memory[place]))]
    if ask.taking is Taking.SHARE:
        room, room_mib = holding["card_share_free_mib"], ask.shapes[0].room_mib
        return [min([place for place in usable if room[place] >= room_mib], key=room.__getitem__)]
    free, idle = holding["card_wholly_free"], 0
    for place in usable:
        if free[place]:
            idle |= 1 << place
    return _tightest_kind(ask, holding.site.cards, idle, holding["card_free_mib"], near())


def _tightest_kind(ask: Ask, cards: CardSet, idle: int, free_mib: Sequence[int], near: NearSets) -> list[int]:
    """A set of these wholly free cards, all of one kind: in the smallest island, then with the least free memory."""
    found = []
    for leader, members in card_facts(ask.rule, cards).members:
        options = whole_options(near, members & idle, ask.copies)
        if options:
            chosen = list(places_of(pick(options, free_mib, near.count)))
            found.append((options[0].size, sum([free_mib[place] for place in chosen]), leader, chosen))
    return min(found)[3]  # equals by the lower leader; leaders differ, so that the lists are never compared
