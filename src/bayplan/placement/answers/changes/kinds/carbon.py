"""A higher limit of carbon intensity."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bayplan.placement.answers.changes.ladder import Ladder
    from bayplan.placement.answers.changes.look import ExaminedRole, Look

CHANGE = "carbon-limit"


def ladders(look: Look) -> Iterator[Ladder]:
    """The intensities of the workers above the limit, the lowest first."""
    known = {worker.carbon_g_per_kwh for worker in look.workers if worker.carbon_g_per_kwh is not None}
    for part in look.parts:
        limit = part.shape.max_carbon_g_per_kwh
        if limit is not None and (higher := sorted(each for each in known if each > limit)):
            yield _ladder(part, limit, higher)


def _ladder(part: ExaminedRole, now: float, higher: Sequence[float]) -> Ladder:
    return part.ladder(
        CHANGE,
        "maxCarbonGramsPerKwh",
        now,
        higher,
        lambda shape, step: replace(shape, max_carbon_g_per_kwh=step),
        lambda step, _: f"carbon limit {now:g} -> {step:g} g/kWh",
        named=lambda step: f"{step:g}",
        short="is not enough",
    )
