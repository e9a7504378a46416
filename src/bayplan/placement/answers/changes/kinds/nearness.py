"""Cards that are farther from each other, or slower between each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cluster.workload import Locality
from bayplan.placement.answers.changes.edits import with_gpus
from bayplan.placement.asks.backends import SPANS_WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bayplan.placement.answers.changes.ladder import Ladder
    from bayplan.placement.answers.changes.look import ExaminedRole, Look

LOCALITY = "locality"
BANDWIDTH = "bandwidth"


def ladders(look: Look) -> Iterator[Ladder]:
    """Any cards of one worker, then of several; and the fastest links that a set of cards has."""
    speeds = _speeds(look)
    for part in look.parts:
        gpus = part.gpus
        if gpus is None or gpus.count == 1 or gpus.mig is not None:
            continue
        if gpus.locality is not None and (steps := _farther(part, gpus.locality)):
            yield _locality(part, gpus.locality, steps)
        if gpus.min_bandwidth_gb_per_s:
            yield _bandwidth(part, gpus.min_bandwidth_gb_per_s, speeds)


def _farther(part: ExaminedRole, now: Locality) -> Sequence[Locality]:
    spans = part.sized.need is None or part.sized.engine.name in SPANS_WORKERS
    near = (Locality.SAME_NODE,) if now in (Locality.SAME_SOCKET, Locality.NVLINK) else ()
    return (*near, Locality.ANY) if spans and now is not Locality.ANY else near


def _locality(part: ExaminedRole, now: Locality, steps: Sequence[Locality]) -> Ladder:
    return part.ladder(
        LOCALITY,
        "gpus.locality",
        str(now),
        steps,
        lambda shape, step: with_gpus(shape, locality=step),
        lambda step, _: f"locality {now} -> {step}",
        shown=str,
    )


def _bandwidth(part: ExaminedRole, now: float, speeds: Sequence[float]) -> Ladder:
    """At last a limit that nothing misses: none."""
    return part.ladder(
        BANDWIDTH,
        "gpus.minBandwidth",
        now,
        (*(speed for speed in speeds if speed < now), None),
        lambda shape, step: with_gpus(shape, min_bandwidth_gb_per_s=step),
        lambda step, _: f"minBandwidth {now:g} -> {_told(step)}",
        named=_told,
        short="is more than any set of free cards has",
    )


def _told(speed: float | None) -> str:
    return "none" if speed is None else f"{speed:g} GB/s"


def _speeds(look: Look) -> list[float]:
    """Those of all links of the cluster, the fastest first."""
    matrices = [worker.links for worker in look.workers if worker.links is not None]
    found = {link.bandwidth_gb_per_s for matrix in dict.fromkeys(matrices) for link in matrix.links}
    return sorted((speed for speed in found if speed), reverse=True)
