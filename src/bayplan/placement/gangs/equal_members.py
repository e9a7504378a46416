"""Many equal replicas of one workload, placed by counting: the same workers and cards as by single decisions."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from bayplan.framework.pickers.max_score import MaxScore
from bayplan.placement.decision.tuning import tuning_of
from bayplan.placement.gangs.equal_gangs import GangAsk, GangPlacer, copy_placed
from bayplan.placement.gangs.lookahead import MOST_COPIES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.placement.asks.sized_workload import SizedRole
    from bayplan.placement.decision.placed import Replica
    from bayplan.placement.gangs.trial import Trial

FEW_REPLICAS = 16
"""So few are placed one by one: looking ahead on all workers would cost more than it saves."""


def place_equals(trial: Trial, role: SizedRole, numbers: Iterator[int], wanted: int) -> list[Replica]:
    """As many of the wanted replicas as fit in the first tier; none where they cannot be counted.

    Once the first tier has no room left it stays so, because replicas only take: the others are for whoever asks tier
    by tier.
    """
    asked = trial.asked(role, wanted)
    if wanted <= FEW_REPLICAS or asked.counts_copies or not _counts(trial, role):
        return []
    ask, strategy = asked.asks[0], role.shape.strategy
    strategies = GangPlacer(trial.strategies, strategy, trial.table, tuning_of(role.shape))
    devices, subject = trial.strategies.devices(strategy), trial.subject(0, asked.asks)
    found: list[Replica] = []
    while len(found) < wanted:
        copies = strategies.copies(ask)
        ahead = MOST_COPIES if copies.rooms.max(initial=0) >= MOST_COPIES else wanted  # behind these nobody looked
        placed, writes = strategies.place(GangAsk(subject.workload, ask, min(ahead, wanted - len(found)), 1))
        if placed is None:
            break
        for number, copy, taken in zip(islice(numbers, len(placed.picked)), placed.picked, placed.taken, strict=True):
            made = copy_placed(ask, devices, copy.row, taken, replace(subject, replica=number))
            found.append(trial.take(role, number, made, copy.total, {}))
        writes.apply()
    return found


def _counts(trial: Trial, role: SizedRole) -> bool:
    """Whether the first tier is one that is counted, and of equal workers the first is taken."""
    asks, strategy = trial.asked(role, 1).asks, role.shape.strategy
    picker = trial.strategies.picker(strategy)
    is_first = isinstance(picker, MaxScore) and picker.ties == "lowest"
    return is_first and trial.counts(role, asks[0])
