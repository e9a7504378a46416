"""Keep the workers with enough CPU and RAM."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.cluster.events import ROOM_EVENTS
from bayplan.cluster.readable import CpuPair, MemoryPair
from bayplan.framework.reasons import Reasons
from bayplan.framework.twins import Twin
from bayplan.placement.cards.copies import MANY_COPIES
from bayplan.placement.cards.distinct import everybody
from bayplan.placement.cards.layers.layer_cards import ORDER_CARDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy.typing as npt

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask

    Numbers = npt.NDArray[Any]

_UNITS = {"cpu": ("millicores", CpuPair), "ram": ("MiB", MemoryPair)}
"""The unit of the numbers in documents, and how sentences write two of them."""


class HostFit:
    """Refuses a worker with less free CPU or RAM than a replica asks for.

    What is not asked for, or asked for as 0, is not looked at. A worker whose CPU or RAM is not known says
    `unknown-capacity` where it is asked for, which no eviction cures. Where CPU and RAM are both short, both are said.
    """

    name = "host-fit"
    reads = ("cpu_free_milli", "ram_free_mib", "fit_order")
    required = True
    cured_by = ROOM_EVENTS

    def mask(self, ask: Ask, rows: Rows, cycle: Cycle) -> BoolArray:
        cpu, ram = ask.cpu_milli, ram_needed(ask, rows)
        mask: BoolArray
        if not cpu:
            mask = everybody(rows.size) if ram is None else rows.ram_free_mib >= ram
        elif ram is None:
            mask = rows.cpu_free_milli >= cpu
        else:
            mask = (rows.cpu_free_milli >= cpu) & (rows.ram_free_mib >= ram)
        return mask

    def twin(self, ask: Ask, shared: Mapping[str, Any]) -> Twin | None:
        if _needs_by_row(ask):
            return None
        least = (ask.cpu_milli or _NOT_ASKED, ask.ram_mib or _NOT_ASKED)
        return Twin(_has_both, least, ("cpu_free_milli", "ram_free_mib"))

    def copies(self, ask: Ask, rows: Rows) -> Numbers | None:
        """How many replicas CPU and RAM suffice for; None where the RAM of a replica depends on its cards."""
        ram = ram_needed(ask, rows)
        if ram is not None and not isinstance(ram, int):
            return None
        free = ((rows.cpu_free_milli, ask.cpu_milli), (rows.ram_free_mib, ram))
        found = [amount // needed for amount, needed in free if needed]
        return np.minimum.reduce(found) if found else np.full(rows.size, MANY_COPIES)

    def explain(self, ask: Ask, refused: Rows, cycle: Cycle) -> list[Reasons]:
        ram = ram_needed(ask, refused)
        return [
            *_reasons("cpu", ask.cpu_milli or 0, refused.cpu_free_milli),
            *_reasons("ram", 0 if ram is None else ram, refused.ram_free_mib),
        ]


def ram_needed(ask: Ask, rows: Rows) -> int | Numbers | None:
    """MiB of RAM that a replica takes of each row; None where it asks for none.

    As a column it says -1 where a row needs none: such a row is neither short nor unknown. Where a model is partly
    offloaded, the layers that find no room on the cards, or that a flag keeps there, stay in RAM.
    """
    if ask.layers is None or not _needs_by_row(ask):
        return ask.ram_mib or None
    left = np.maximum(rows.fit_order, 0) // ORDER_CARDS + ask.layers.kept
    layer_mib = ask.layers.layer_mib
    needed: Numbers = (ask.ram_mib or 0) - (-left * layer_mib.numerator // layer_mib.denominator)
    return np.where(needed > 0, needed, -1)


def _needs_by_row(ask: Ask) -> bool:
    """Whether the RAM that a replica takes depends on the worker."""
    return not ask.spans and ask.layers is not None and bool(ask.layers.partial or ask.layers.kept)


_NOT_ASKED = -(1 << 62)
"""Less than any worker has, also one whose amount is not known: what is not asked for is always there."""


def _has_both(cpu_milli: int, ram_mib: int, cpu_free_milli: int, ram_free_mib: int) -> bool:
    return cpu_free_milli >= cpu_milli and ram_free_mib >= ram_mib


def _reasons(fact: str, needed: int | Numbers, free: Numbers) -> Iterator[Reasons]:
    """Of the rows that have too little of one thing, and of the rows where the amount is not known."""
    need = np.broadcast_to(needed, free.shape)
    asked, unknown = need > 0, free < 0
    unit, pair = _UNITS[fact]
    what = fact.upper()
    short, silent = np.flatnonzero(asked & ~unknown & (free < need)), np.flatnonzero(asked & unknown)
    if len(short):
        text = f"needs {{both.needed}} of {what}, {{both.free}} are free"
        both = list(map(pair, need[short].tolist(), free[short].tolist()))
        yield Reasons(
            f"{fact}-short",
            curable=True,
            unit=unit,
            text=text,
            places=short,
            needed=need[short],
            free=free[short],
            both=both,
        )
    if len(silent):
        text = f"needs {{both.needed}} of {what}; how much the worker has is not known"
        both = [pair(each, None) for each in need[silent].tolist()]
        yield Reasons(
            "unknown-capacity",
            unit=unit,
            text=text,
            places=silent,
            not_known=fact,
            needed=need[silent],
            free=None,
            both=both,
        )
