"""Asks that must get the same answer are made equal: answers are kept per ask."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.workload import Locality
from bayplan.placement.asks.ask import Taking
from bayplan.placement.asks.booked_memory import booked_mib

if TYPE_CHECKING:
    from bayplan.cluster.snapshot import Snapshot
    from bayplan.placement.asks.ask import Ask


def alike(ask: Ask, snapshot: Snapshot, copies: int, widest: int) -> Ask:
    """The ask without what cannot change its answer; no worker has more than `widest` cards.

    One card cannot mix models, and it has no links to other cards of the replica. Copies matter
    only where several share cards of several, or where it matters which whole cards are linked to which.
    """
    if len(ask.rule.models) > 1 and ask.taking is Taking.SHARE and all(shape.cards == 1 for shape in ask.shapes):
        ask = replace(ask, rule=replace(ask.rule, mixes_models=False))
    several = ask.layers is not None or any(shape.cards > 1 for shape in ask.shapes)
    if (ask.locality is not None or ask.min_bandwidth_gb_per_s) and (ask.spans or not several):
        ask = replace(ask, locality=None, min_bandwidth_gb_per_s=0.0)
    if not several or ask.spans or ask.overcommit:
        return ask
    counted = min(copies, _most_copies(ask, snapshot, copies, widest))
    return replace(ask, copies=counted) if counted > 1 else ask


def _most_copies(ask: Ask, snapshot: Snapshot, copies: int, widest: int) -> int:
    """No worker has room for more copies than that, or 1 where their number changes nothing."""
    fewest = min((shape.cards for shape in ask.shapes if shape.cards > 1), default=1)
    if ask.taking is Taking.WHOLE:
        linked = ask.locality is Locality.NVLINK or ask.min_bandwidth_gb_per_s > 0
        return widest // fewest if linked else 1
    if ask.taking is not Taking.SHARE:
        return 1
    return widest * _most_shares(ask, snapshot, copies) // fewest


def _most_shares(ask: Ask, snapshot: Snapshot, copies: int) -> int:
    """How many of such shares one card holds at most."""
    sizes = snapshot.table.columns["card_memory_mib"]
    if ask.fit is not None:
        taken = [np.maximum(booked_mib(ask, shape, sizes), 1) for shape in ask.shapes]
        return max(int((sizes // each).max(initial=0)) for each in taken)
    room_mib = min(shape.room_mib for shape in ask.shapes)
    by_memory = int(sizes.max(initial=0)) // room_mib if room_mib and ask.rule.needs_memory else copies
    return min(by_memory, 1000 // ask.compute_milli) if ask.compute_milli else by_memory
