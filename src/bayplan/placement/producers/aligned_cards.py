"""Which of an ask's shapes each worker can give, where some workers insist on single NUMA zones."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

from bayplan.placement.cards.mig.instances import ROOM_READS, slice_keys
from bayplan.placement.cards.numa.zone_fit import aligned, aligned_slices
from bayplan.placement.cards.numa.zones import READS
from bayplan.placement.producers.card_fit import CardFit
from bayplan.placement.producers.mig_cards import SliceKeys

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    import numpy.typing as npt

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import Column
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask


class AlignedCards(CardFit):
    """Stands for `card-fit` where a worker insists on single zones: cards of other zones have no room there.

    Where no zone holds the request all cards keep theirs, so that `numa-single-node` alone refuses the worker.
    """

    reads: tuple[str, ...] = tuple(dict.fromkeys((*CardFit.reads, *READS)))

    def room(self, ask: Ask, rows: Rows) -> npt.NDArray[Any]:
        return aligned(ask, rows, super().room(ask, rows)).room


class AlignedSlices(SliceKeys):
    """The same for `slice-keys`: cards of other zones have nothing to give."""

    reads: tuple[str, ...] = tuple(dict.fromkeys((*SliceKeys.reads, *READS, *ROOM_READS)))

    def produce(self, ask: Ask, rows: Rows, cycle: Cycle) -> Mapping[str, Column]:
        there = SimpleNamespace(card_usable=aligned_slices(ask, rows), card_mig_id=rows.card_mig_id)
        return {**super().produce(ask, rows, cycle), "slice_key": slice_keys(there)}
