"""Which workers can give the MIG instances that are asked for, and from which of their cards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.framework.plugins import Depends
from bayplan.placement.cards.mig.instance_cards import READS, given, one_slice
from bayplan.placement.cards.mig.instances import loose_ranks, slice_keys, slice_loads

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import Column
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.cards.mig.instance_cards import Given

UNFIT = -1
_QUICK = {"fit_order", "fullness"}


class SliceKeys:
    """What never changes about slices: where each card's table begins, and whether those of no known card will do."""

    name = "slice-keys"
    reads: tuple[str, ...] = (
        "card_usable", "card_rank", "card_mig_id", "card_mig_enabled", "device_offer_id", "pools",
    )  # fmt: skip
    produces = ("slice_key", "loose_rank")

    def produce(self, ask: Ask, rows: Rows, cycle: Cycle) -> Mapping[str, Column]:
        return {"slice_key": slice_keys(rows), "loose_rank": loose_ranks(ask, rows)}


class MigCards:
    """Replaces `card-fit` and `chosen-cards` where MIG instances are asked for; makes the columns of both.

    Instances that exist are taken first, then instances whose card is not known, then new ones on a card that is cut
    already, last a card that must be switched to MIG. Among cards the one where the least room for larger instances
    is lost, then the one with the least room left. `fullness` is the largest part of a card's free slices that is
    taken, less a few millionths where cards are reconfigured.
    """

    name = "mig-cards"
    reads = (*READS, "card_rank")

    def __init__(self, produces: Iterable[str]) -> None:
        self.produces = tuple(produces)
        self._quick = _QUICK.issuperset(self.produces)

    def produce(self, ask: Ask, rows: Rows, cycle: Cycle) -> Mapping[str, Column]:
        if self._quick and ask.shapes[0].cards == 1:
            fits, fullness = one_slice(ask, rows)
            return {"fit_order": fits - np.int64(1), "fullness": fullness}
        return _columns(self.produces, given(ask, rows))


class EvenMigCards:
    """The same, but of cards from which instances can be had in the same way, the one with the fewest replicas on it
    gives them.
    """

    name = "mig-cards"
    reads = (*MigCards.reads, "card_bookings", "uid_hash")
    depends = Depends.CYCLE

    def __init__(self, produces: Iterable[str]) -> None:
        self.produces = tuple(produces)

    def produce(self, ask: Ask, rows: Rows, cycle: Cycle) -> Mapping[str, Column]:
        return _columns(self.produces, given(ask, rows, slice_loads(cycle.subject, rows.uid_hash, rows.card_bookings)))


def _columns(names: tuple[str, ...], found: Given) -> dict[str, Column]:
    """The columns of these names; those of which slices know nothing say only whether they fit."""
    fits = found.fits - np.int64(1)
    made: dict[str, Column] = {"fullness": found.fullness, "chosen": found.chosen, "fit_rank": found.rank}
    if "fit_leader" in names:
        on_card = found.chosen.any(1)
        made["fit_leader"] = np.where(on_card, found.chosen.argmax(1), UNFIT) if on_card.size else fits
    if "card_room" in names:
        made["card_room"] = found.chosen - np.int64(1)
    return {name: made.get(name, fits) for name in names}
