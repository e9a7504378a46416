"""MIG instances of a worker: how many it could give, and which of them a replica takes."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.booking import CardBooking
from bayplan.cluster.mig import MASKS, MigInstance
from bayplan.placement.asks.backends import Support, support
from bayplan.placement.cards.card_facts import UNUSABLE, card_facts
from bayplan.placement.cards.device_offers import served
from bayplan.placement.cards.mig.tables import (
    LOAD_BIT,
    MOST_LOAD,
    MOST_RANK,
    NEVER,
    RANK_BIT,
    WAY_BIT,
    InstanceCut,
    card_tables,
    stacked,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from bayplan.cluster.holding import Holding
    from bayplan.cluster.pools import Pools
    from bayplan.framework.plugins import BoolArray
    from bayplan.placement.asks.ask import Ask, CardRule
    from bayplan.placement.asks.subject import Subject
    from bayplan.placement.cards.mig.tables import SliceTables
    from bayplan.placement.cards.rows import CardRows, Numbers

ROOM_READS = (
    "card_usable", "card_rank", "card_mig_id", "card_mig_enabled", "card_mig_taken", "card_cuttable", "loose_free",
    "device_offer_id", "pools",
)  # fmt: skip
"""The columns that `rooms` reads."""

KEY_READS = ("card_usable", "card_rank", "card_mig_id", "card_mig_enabled", "device_offer_id", "pools")
KEY_COLUMNS = ("slice_key", "loose_rank")
"""What never changes about slices: `slice_keys` and `loose_ranks`."""

RUNTIME = "cuda"
"""The runtime of instances whose card is not known: only CUDA cards are cut."""

SIBLING_LOAD = 5
"""How much a replica of the same workload counts on a card, where one of another workload counts 1."""

LOOSE_COST = int(InstanceCut.LOOSE) << WAY_BIT


def rooms(ask: Ask, rows: CardRows) -> npt.NDArray[np.int64]:
    """How many instances of the ask's profile each row could give now; the number asked for does not matter."""
    on_cards = (
        tables_of(ask, rows).room.take(slice_keys(rows.card_mig_id, rows.card_usable) + rows.card_mig_taken)
        * rows.card_cuttable
    )
    count: npt.NDArray[np.int64] = on_cards.sum(1) + loose_free(ask, rows, loose_ranks(ask, rows))
    return count


def tables_of(ask: Ask, rows: CardRows) -> SliceTables:
    """The tables of all layouts for the ask's profile."""
    return slice_tables(ask, rows.pools)


def slice_tables(ask: Ask, pools: Pools) -> SliceTables:
    """The tables of all layouts that a cluster has, for the ask's profile."""
    return stacked(pools.layouts, len(pools.layouts), ask.mig or "")


def slice_keys(layouts: Numbers, usable: BoolArray) -> Numbers:
    """Where the table of each card's layout begins; cards that are not usable have the empty table.

    The empty table is the last one, so that its number may be -1: `take` counts negative places from the end.
    """
    keys: Numbers = np.where(usable, layouts, -1).astype(np.intp) * MASKS
    return keys


def loose_ranks(ask: Ask, rows: CardRows) -> Numbers:
    """Where instances of no known card stand in the ask's order of models; UNUSABLE where it may not take them.

    They lie on some cut card of the worker: where the ask is particular about cards, all of those must do.
    """
    ranks = np.zeros(rows.size, np.int64)
    if not _runs(ask.rule):
        return ranks + UNUSABLE
    if (open_rows := served(ask, rows)) is not None:
        return np.where(open_rows, ranks, UNUSABLE)
    if not _particular(ask):
        return ranks
    cut = rows.card_mig_enabled
    known = cut.any(1) & ~(cut & ~rows.card_usable).any(1)
    return np.where(known, np.where(cut, rows.card_rank, 0).max(1, initial=0), UNUSABLE)


def loose_free(ask: Ask, rows: CardRows, ranks: Numbers) -> Numbers:
    """Free instances of no known card that the ask may take."""
    number = loose_number(ask, rows.pools, rows.loose_free.shape[1])
    if number is None:
        return np.zeros(rows.size, np.int64)
    free: Numbers = rows.loose_free[:, number].astype(np.int64) * (ranks >= 0)
    return free


def loose_number(ask: Ask, pools: Pools, width: int) -> int | None:
    """The place of the profile among instances of no known card; None where no worker ever had it."""
    number = pools.profiles.find(ask.mig or "")
    return None if number is None or number >= width else number


def _runs(rule: CardRule) -> bool:
    return rule.runtime in (None, RUNTIME) and support(rule.backend, RUNTIME) is not Support.NO


def _particular(ask: Ask) -> bool:
    return bool(ask.rule.models or ask.rule.card_memory_mib) or ask.selected is not None


def picked(ask: Ask, holding: Holding, usable: Sequence[int], load: Sequence[int] | None = None) -> list[CardBooking]:
    """The instances of one worker, as `given` would take them, from its row as plain numbers."""
    cards, wanted = holding.site.cards, ask.shapes[0].cards
    cuttable, taken = holding["card_cuttable"], holding["card_mig_taken"]  # lists of one's own
    places = [place for place in usable if cuttable[place]]
    tables = card_tables(cards, ask.mig or "")
    ranks = card_facts(ask.rule, cards, cut=True).ranks if len(ask.rule.models) > 1 else None
    loads = None if load is None else list(load)
    loose, loose_cost = loose_of(ask, holding, usable, ranks)
    booked: list[CardBooking] = []
    for _ in range(wanted):
        least, best = NEVER, -1
        for place in places:
            cost = tables[place].cost[taken[place]]
            if cost < NEVER:
                if ranks is not None:
                    cost += min(ranks[place], MOST_RANK) << RANK_BIT
                if loads is not None:
                    cost += min(loads[place], MOST_LOAD) << LOAD_BIT
                if cost < least:
                    least, best = cost, place
        if loose and least >= loose_cost:
            loose -= 1
            booked.append(CardBooking(None, RUNTIME, mig=MigInstance(ask.mig or "")))
            continue
        table, mask, card = tables[best], taken[best], cards.cards[best]
        booked.append(_instance(card.index, card.runtime, table.profile, table.start[mask]))
        taken[best] = table.after[mask]
        if loads is not None:
            loads[best] += SIBLING_LOAD
    return sorted(booked, key=_place) if wanted > 1 else booked


@lru_cache(maxsize=4096)  # cards have few instances, and equal bookings may be one object: they never change
def _instance(index: int, runtime: str, profile: str, start: int) -> CardBooking:
    return CardBooking(index, runtime, mig=MigInstance(profile, start))


def _place(part: CardBooking) -> tuple[bool, int, int]:
    """Those of no known card last."""
    start = part.mig.start if part.mig else None
    return part.index is None, part.index or 0, start or 0


def loose_of(ask: Ask, holding: Holding, usable: Sequence[int], ranks: Sequence[int] | None) -> tuple[int, int]:
    """As `loose_free`, of one worker: how many, and what one costs."""
    number = holding.site.profiles.find(ask.mig or "")
    if number is None or not _runs(ask.rule) or number >= holding.width("loose_free"):
        return 0, LOOSE_COST
    free: int = holding.cell("loose_free", number)
    if not free or not _particular(ask):
        return free, LOOSE_COST
    cut = {place for place, enabled in enumerate(holding.site.cards.mig_enabled) if enabled}
    if not cut or not cut <= set(usable):
        return 0, LOOSE_COST
    rank = 0 if ranks is None else min(max(ranks[place] for place in cut), MOST_RANK)
    return free, LOOSE_COST + (rank << RANK_BIT)


def slice_loads(subject: Subject, uid_hashes: Numbers, bookings: Numbers) -> Numbers:
    """Replicas on each card: siblings count five times as much as others."""
    siblings = subject.siblings.on_cards(uid_hashes, bookings.shape[1])
    load: Numbers = (SIBLING_LOAD - 1) * siblings + bookings  # `bookings` count each sibling once already
    return load
