"""A gang that may leave its rack, block or domain."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bayplan.cluster.topology import Level
from bayplan.placement.answers.changes.ladder import Ladder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.placement.answers.changes.case import Case
    from bayplan.placement.answers.changes.look import Look

CHANGE = "within"
WIDER: tuple[Level, ...] = (Level.RACK, Level.BLOCK, Level.ZONE)
"""The levels that a workload may name, the narrowest first."""


def ladders(look: Look) -> Iterator[Ladder]:
    """The next wider level that some worker names, and so on; at last anywhere."""
    gang = look.sized.workload.gang
    if gang is None or gang.within is None:
        return
    now = gang.within
    named = {level for worker in look.workers for level in WIDER if worker.topology.domain(level) is not None}
    yield Ladder(
        change=CHANGE,
        field="gang.within",
        before=str(now),
        steps=(*(level for level in WIDER if level in named and level.depth < now.depth), None),
        apply=_with_level,
        told=lambda step, _: f"let the gang leave its {now}: {_where(step)}",
        named=_where,
        shown=lambda step: None if step is None else str(step),
        monotone=False,
    )


def _where(level: Level | None) -> str:
    return "any workers" if level is None else f"one {level}"


def _with_level(case: Case, level: Level | None) -> Case:
    workload = case.sized.workload
    gang = None if workload.gang is None else replace(workload.gang, within=level)
    return replace(case, sized=replace(case.sized, workload=replace(workload, gang=gang)))
