"""What bookings leave of many workers at once: the LEFT columns made from the HELD ones, of all cards or of some."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from bayplan.cluster.claim import AMOUNT_COLUMNS
from bayplan.cluster.columns import HOST_OF_CARDS, MASK_CARDS, MEMORY_SLICES, UNKNOWN
from bayplan.cluster.holding import LEFT_COLUMNS
from bayplan.cluster.remainder import CardAmounts, CardFacts, card_remainder, host_free

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from bayplan.framework.plugins import BoolArray, IndexArray

Columns: TypeAlias = "dict[str, Any]"
Cells: TypeAlias = "tuple[IndexArray, ...]"
"""Cards of some rows: the places of the rows, and the positions of the cards there."""

_BITS = 1 << np.arange(MASK_CARDS)  # the bit of each card in column `wholly_free`
_ONES = np.array([number.bit_count() for number in range(1 << MEMORY_SLICES)], np.int64)  # slices in a mask

_CARD_FACTS = tuple(f"card_{name}" for name in CardFacts._fields[:-2])  # the last two are of the worker
FACT_COLUMNS: tuple[str, ...] = (
    *("cpu_milli", "ram_mib", "reserved_ram_mib", "reserved_gpu_mib", "card_count", "loose_slices"),
    *("resource_offered", "closes_full", "card_numa", "numa_id"),
    *_CARD_FACTS,
)
"""The static columns from which state columns are counted."""

CELL_COLUMNS = frozenset((*AMOUNT_COLUMNS, *HOST_OF_CARDS, "card_bookings", "card_mig_held"))
"""The HELD columns in which `charge` counts card by card."""


def settle(columns: Columns) -> None:
    """Make all LEFT columns of many rows from their HELD ones; `columns` holds FACT_COLUMNS too."""
    c = columns
    _settle_host(c)
    _settle_places(c)
    held = c["card_mig_held"]
    c["card_mig_taken"] = _taken(held) if held.any() else np.zeros(held.shape[:2], "u1")
    of_workers = (c["closes_full"][:, None], c["reserved_gpu_mib"][:, None])  # one value a row, beside one a card
    facts = CardFacts._make((*(c[name] for name in _CARD_FACTS), *of_workers))
    amounts = CardAmounts(*(c[name] for name in AMOUNT_COLUMNS))
    left = card_remainder(facts, amounts, _ONES[c["card_mig_taken"]], c["card_observed_mib"])
    c.update(zip(LEFT_COLUMNS, left, strict=True))
    _settle_sums(c)


def charge(columns: Columns, held: Mapping[str, Any], cells: Cells) -> None:
    """Count bookings that are not observed yet into many rows: only columns that change are replaced.

    `cells` are the cards that bookings touch, each once. `held` is what is added, negative where it is released: in
    columns of cards one amount a cell, in others one a row. What other processes use of a card stays as it is.
    """
    c = columns
    for name, amount in held.items():
        column = c[name] = c[name].copy()
        if name in CELL_COLUMNS:
            column[cells] += amount
        else:
            column += amount
    if "cpu_booked_milli" in held or "ram_booked_mib" in held:
        _settle_host(c)
    if "loose_held" in held or "resource_held" in held:
        _settle_places(c)
    if len(cells[0]):
        _settle_cells(c, cells)


def zone_cells(columns: Columns, cells: Cells, chosen: BoolArray) -> BoolArray:
    """For each cell whether the CPU and RAM of its booking are counted there: the rule of `Claim.zone_card`.

    `chosen` has one booking a row, and the cards it holds; `cells` are these cards.
    """
    numa, first = columns["card_numa"], chosen.argmax(1)  # argmax: the first card of the booking
    zone = numa[np.arange(len(numa)), first]
    in_one = (columns["numa_id"] != UNKNOWN) & (zone != UNKNOWN) & (~chosen | (numa == zone[:, None])).all(1)
    lines, positions = cells
    counted: BoolArray = in_one[lines] & (positions == first[lines])
    return counted


def _settle_cells(c: Columns, cells: Cells) -> None:
    lines = cells[0]
    of_workers = (c["closes_full"][lines], c["reserved_gpu_mib"][lines])
    facts = CardFacts._make((*(c[name][cells] for name in _CARD_FACTS), *of_workers))
    amounts = CardAmounts(*(c[name][cells] for name in AMOUNT_COLUMNS))
    taken, observed, foreign = _taken(c["card_mig_held"][cells]), c["card_observed_mib"][cells], c["card_foreign_mib"]
    left = card_remainder(facts, amounts, _ONES[taken], observed, foreign[cells])
    # -1: nothing was observed
    seen = np.where(observed >= 0, foreign[cells] + left.booked_mib + amounts.headroom_mib, observed)
    changed = dict(zip(LEFT_COLUMNS, left, strict=True)) | {"card_mig_taken": taken, "card_observed_mib": seen}
    for name, values in changed.items():
        if name in c:
            c[name] = c[name].copy()
            c[name][cells] = values
    _settle_sums(c)


def _settle_host(c: Columns) -> None:
    c["cpu_free_milli"] = host_free(c["cpu_milli"], c["cpu_booked_milli"])
    c["ram_free_mib"] = host_free(c["ram_mib"], c["ram_booked_mib"], c["reserved_ram_mib"])


def _settle_places(c: Columns) -> None:
    c["loose_free"] = np.maximum(c["loose_slices"] - c["loose_held"], 0)
    c["resource_free"] = np.maximum(c["resource_offered"] - c["resource_held"], 0)


def _settle_sums(c: Columns) -> None:
    """What a row says of its cards together."""
    free = c["card_wholly_free"]
    c["gpu_booked_mib"] = c["card_booked_mib"].sum(axis=1)
    c["wholly_free_count"] = free.sum(axis=1, dtype=np.int32)
    few = free[:, :MASK_CARDS]
    bits = (few * _BITS[: few.shape[1]]).sum(axis=1) * (c["card_count"] <= MASK_CARDS)  # 0 for workers with more cards
    c["wholly_free"] = bits.astype(np.uint16)


def _taken(held: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    """The mask of slices in use, of counts whose last axis is the slice."""
    return np.packbits(held > 0, axis=-1, bitorder="little")[..., 0]  # eight slices are one byte
