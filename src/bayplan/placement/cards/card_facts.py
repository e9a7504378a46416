"""Which cards of a set may be used, and which of them may serve one replica together."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from bayplan.cluster.catalogue import matches
from bayplan.placement.asks.backends import Support, support
from bayplan.placement.cards.masks import mask_of

if TYPE_CHECKING:
    from bayplan.cluster.card_set import CardSet
    from bayplan.placement.asks.ask import CardRule

UNUSABLE = -1
"""The rank of a card that an ask may not use; ranks of usable cards begin with 0."""


class CardFacts(NamedTuple):
    """Of each card its place in the order of preference, or UNUSABLE; and the first card of its kind.

    Cards of one kind, that is of one leader, may serve a replica together: one model of GPU, or one runtime where
    the engine mixes models.
    """

    ranks: tuple[int, ...]
    leaders: tuple[int, ...]
    kinds: int
    usable: tuple[int, ...]
    """The positions of usable cards."""
    members: tuple[tuple[int, int], ...]
    """Of each kind its leader and the mask of its usable cards."""


@lru_cache(maxsize=4096)  # a cluster has few distinct sets of cards, and few rules are in use at a time
def card_facts(rule: CardRule, cards: CardSet, *, cut: bool = False) -> CardFacts:
    """The facts of a distinct set of cards under a rule; cards that are cut are there only for asks for slices."""
    ranks = tuple(_rank(rule, cards, position, cut=cut) for position in range(len(cards)))
    leaders: list[int] = []
    first: dict[tuple[str, str | None], int] = {}
    for position, rank in enumerate(ranks):
        model = None if rule.mixes_models else cards.models[position]
        # An unusable card leads itself, so that it joins no kind.
        leader = first.setdefault((cards.cards[position].runtime, model), position) if rank >= 0 else position
        leaders.append(leader)
    usable = tuple(position for position, rank in enumerate(ranks) if rank >= 0)
    members = tuple((leader, mask_of(each for each in usable if leaders[each] == leader)) for leader in first.values())
    return CardFacts(ranks, tuple(leaders), len(first), usable, members)


def _rank(rule: CardRule, cards: CardSet, position: int, *, cut: bool) -> int:
    if not cards.healthy[position] or (cards.mig_enabled[position] and not cut):
        return UNUSABLE
    runtime = cards.cards[position].runtime
    if rule.runtime not in (None, runtime) or support(rule.backend, runtime) is Support.NO:
        return UNUSABLE
    # an unknown size is -1, too small for any demand
    if rule.card_memory_mib and cards.size_mib[position] < rule.card_memory_mib:
        return UNUSABLE
    return preference(rule.models, cards.models[position])


def preference(models: tuple[str, ...], product: str | None) -> int:
    """The place of a product among the models asked for; a card whose model is not known matches no name."""
    if not models:
        return 0
    if product is None:
        return UNUSABLE
    return next((place for place, model in enumerate(models) if matches(model, product)), UNUSABLE)
