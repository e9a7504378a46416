"""Replicas that need not be spread evenly."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bayplan.placement.answers.changes.ladder import Ladder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.placement.answers.changes.case import Case
    from bayplan.placement.answers.changes.look import Look

CHANGE = "spread-over"


def ladders(look: Look) -> Iterator[Ladder]:
    """One step: wherever there is room."""
    level = look.sized.workload.spread_over
    if level is None:
        return
    yield Ladder(
        change=CHANGE,
        field="spreadOver",
        before=str(level),
        steps=(None,),
        apply=_without,
        told=lambda _, __: f"drop spreadOver: {level}s may hold unequal numbers of replicas",
    )


def _without(case: Case, _: None) -> Case:
    workload = replace(case.sized.workload, spread_over=None)
    return replace(case, sized=replace(case.sized, workload=workload))
