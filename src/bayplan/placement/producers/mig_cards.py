"""Which workers can give the MIG instances that are asked for, and from which of their cards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.framework.plugins import Depends
from bayplan.placement.slices import ROOM_READS, given, slice_loads

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import Column
    from bayplan.framework.rows import Rows
    from bayplan.placement.ask import Ask
    from bayplan.placement.slices import Given

UNFIT = -1


class MigCards:
    """Stands for `card-fit` and `chosen-cards` where MIG instances are asked for; makes of their columns what is read.

    Instances that exist are taken first, then such as nobody knows the card of, then new ones on a card that is cut
    already, last a card that must be switched to MIG. Among cards the one where the least room for larger instances
    is lost, then the one with the least room left. `fullness` is the largest part of a card's free slices that is
    taken, less a few millionths where cards are reconfigured.
    """

    name = "mig-cards"
    reads: tuple[str, ...] = ROOM_READS

    def __init__(self, produces: Iterable[str]) -> None:
        self.produces = tuple(produces)

    def produce(self, ask: Ask, rows: Rows, cycle: Cycle) -> Mapping[str, Column]:
        return _columns(self.produces, given(ask, rows), rows)


class EvenMigCards:
    """The same, but of cards from which instances can be had in the same way, the one with the fewest replicas on it
    gives them.
    """

    name = "mig-cards"
    reads = (*ROOM_READS, "card_bookings", "uid_hash")
    depends = Depends.CYCLE

    def __init__(self, produces: Iterable[str]) -> None:
        self.produces = tuple(produces)

    def produce(self, ask: Ask, rows: Rows, cycle: Cycle) -> Mapping[str, Column]:
        return _columns(
            self.produces, given(ask, rows, slice_loads(cycle.subject, rows.uid_hash, rows.card_bookings)), rows
        )


def _columns(names: tuple[str, ...], found: Given, rows: Any) -> dict[str, Column]:
    """Columns of which slices know nothing are 0 where they fit."""
    fits = found.fits - np.int64(1)
    made: dict[str, Column] = {"fullness": found.fullness, "chosen": found.chosen, "fit_rank": found.rank}
    if "fit_leader" in names:
        leader = found.chosen.argmax(1) if found.chosen.shape[1] else fits
        made["fit_leader"] = np.where(found.fits & found.chosen.any(1), leader, UNFIT)
    if "card_room" in names:
        made["card_room"] = found.chosen - np.int64(1)
    return {name: made.get(name, fits) for name in names}
