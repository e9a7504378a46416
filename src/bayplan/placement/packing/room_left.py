"""What is free on workers, as packing counts it: thousandths of each card beside CPU and RAM."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bayplan.placement.packing.demand import WHOLE_MILLI, share_milli

if TYPE_CHECKING:
    import numpy.typing as npt

    from bayplan.framework.plugins import BoolArray
    from bayplan.placement.cards.rows import WorkerRows
    from bayplan.placement.packing.demand import PackingDemand

    Numbers = npt.NDArray[np.int64]

READS = (
    "cpu_free_milli", "ram_free_mib", "card_free_milli", "card_share_free_mib", "card_memory_mib", "card_shareable",
    "card_wholly_free",
)  # fmt: skip

BOUNDLESS = 1 << 40
"""CPU and RAM of a worker whose amount is not known."""


class Room(NamedTuple):
    """Of each row the CPU, the RAM, and the thousandths of each card that are free."""

    cpu_milli: Numbers
    ram_mib: Numbers
    milli: Numbers


def room_left(rows: WorkerRows) -> Room:
    """What these rows, which show READS, have left."""
    memory = rows.card_memory_mib
    known = np.maximum(rows.card_share_free_mib, 0) * WHOLE_MILLI // np.maximum(memory, 1)
    shared = np.where(memory > 0, np.minimum(known, rows.card_free_milli), rows.card_free_milli)
    milli = np.where(rows.card_wholly_free, WHOLE_MILLI, np.where(rows.card_shareable, shared, 0))
    return Room(_host(rows.cpu_free_milli), _host(rows.ram_free_mib), np.ascontiguousarray(milli, np.int64))


def needed(demand: PackingDemand, rows: WorkerRows) -> Numbers:
    """Thousandths of each card that a demand takes on each row."""
    return np.asarray(share_milli(demand, rows.card_memory_mib.max(1, initial=0)), np.int64)


def room_after(room: Room, demand: PackingDemand, need_milli: Numbers) -> Room:
    """What is left once the demand is met; where it does not fit, nothing falls below 0."""
    return taken(room, demand.cpu_milli, demand.ram_mib, demand.cards, need_milli)


def fits(room: Room, cpu_milli: int, ram_mib: int, cards: int, need_milli: Numbers) -> BoolArray:
    """Whether that amount is there."""
    there: BoolArray = (room.cpu_milli >= cpu_milli) & (room.ram_mib >= ram_mib)
    there &= (room.milli >= need_milli[:, None]).sum(1) >= cards
    return there


def taken(room: Room, cpu_milli: int, ram_mib: int, cards: int, need_milli: Numbers) -> Room:
    """What is left of it: of the cards that suffice the fullest give, then the freest of the others."""
    cpu, ram = np.maximum(room.cpu_milli - cpu_milli, 0), np.maximum(room.ram_mib - ram_mib, 0)
    if not cards:
        return Room(cpu, ram, room.milli)
    need = need_milli[:, None]
    # cards that suffice, fullest first; then the freest
    ranked = np.where(room.milli >= need, room.milli, BOUNDLESS - room.milli)
    order = ranked.argsort(1, kind="stable")
    given = np.zeros(room.milli.shape, np.bool_)
    np.put_along_axis(given, order[:, :cards], values=True, axis=1)
    return Room(cpu, ram, np.where(given, np.maximum(room.milli - need, 0), room.milli))


def _host(free: Any) -> Numbers:
    return np.where(free < 0, BOUNDLESS, free).astype(np.int64)
