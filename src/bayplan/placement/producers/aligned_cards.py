"""Which of an ask's shapes each worker can give, where some workers insist on single NUMA zones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.placement.numa_fit import aligned
from bayplan.placement.numa_zones import READS
from bayplan.placement.producers.card_fit import CardFit

if TYPE_CHECKING:
    from typing import Any

    import numpy.typing as npt

    from bayplan.framework.rows import Rows
    from bayplan.placement.ask import Ask


class AlignedCards(CardFit):
    """Stands for `card-fit` where a worker insists on single zones: cards of other zones have no room there.

    Where no zone holds the request all cards keep theirs, so that `numa-single-node` alone refuses the worker.
    """

    reads: tuple[str, ...] = tuple(dict.fromkeys((*CardFit.reads, *READS)))

    def room(self, ask: Ask, rows: Rows) -> npt.NDArray[Any]:
        return aligned(ask, rows, super().room(ask, rows)).room
