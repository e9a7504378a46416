"""One more region that would do."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.placement.answers.changes.ladder import Ladder
    from bayplan.placement.answers.changes.look import ExaminedRole, Look

CHANGE = "regions"
MOST_REGIONS = 6


def ladders(look: Look) -> Iterator[Ladder]:
    """The other regions of the cluster, each by itself."""
    known = {worker.topology.region for worker in look.workers} - {None}
    for part in look.parts:
        now = part.shape.regions
        others = sorted(str(region) for region in known - set(now)) if now else []
        for region in others[:MOST_REGIONS]:
            yield _ladder(part, now, region)


def _ladder(part: ExaminedRole, now: tuple[str, ...], region: str) -> Ladder:
    return part.ladder(
        CHANGE,
        "regions",
        list(now),
        (region,),
        lambda shape, step: replace(shape, regions=(*shape.regions, step)),
        lambda step, _: f"allow region {step} beside {', '.join(now)}",
        shown=lambda step: [*now, step],
    )
