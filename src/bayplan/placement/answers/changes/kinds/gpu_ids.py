"""Other cards than the ones chosen by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.cluster.gpu import GpuId
    from bayplan.placement.answers.changes.ladder import Ladder
    from bayplan.placement.answers.changes.look import ExaminedRole, Look

CHANGE = "gpu-ids"


def ladders(look: Look) -> Iterator[Ladder]:
    """One step: any card."""
    for part in look.parts:
        if chosen := part.shape.gpu_ids:
            yield _ladder(part, chosen)


def _ladder(part: ExaminedRole, chosen: tuple[GpuId, ...]) -> Ladder:
    return part.ladder(
        CHANGE,
        "gpuIds",
        [str(gpu_id) for gpu_id in chosen],
        (None,),
        lambda shape, _: replace(shape, gpu_ids=()),
        lambda _, __: f"drop gpuIds: any card instead of {', '.join(map(str, chosen))}",
    )
