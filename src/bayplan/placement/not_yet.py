"""Demands that are read but not planned yet: a workload that makes one is refused rather than placed without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cluster.workload import Locality, Preemption
from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.cluster.workload import GpuRequest, Workload

NO_VICTIMS = "preemption: lower-priority is not planned yet, so no victims are proposed"


def refuse_unplanned(workload: Workload) -> None:
    """Raise for the first demand that nothing here would keep."""
    for place, demand in _demands(workload):
        message = f"{demand} is not planned yet"
        raise InputError(message, place=f"workload {workload.name}: {place}", next=f"leave {place} out for now")


def without_victims(workload: Workload) -> tuple[str, ...]:
    """What to tell the owner of a workload that does not fit whole, though others might make room for it."""
    allowed = {workload.preemption, *(role.preemption for role in workload.roles)}
    return (NO_VICTIMS,) if Preemption.LOWER_PRIORITY in allowed else ()


def unheard_wishes(workload: Workload) -> tuple[str, ...]:
    """What a workload would like, and nothing here listens to yet."""
    shapes = [workload.shape, *(role.shape for role in workload.roles)]
    wishes = {
        "near": any(shape.near for shape in shapes),
        "dryRun": any(shape.dry_run for shape in shapes),
        "cost.spot: true": any(shape.cost.spot for shape in shapes),
    }
    return tuple(f"{name} is not scored yet, it changes nothing" for name, is_wished in wishes.items() if is_wished)


def _demands(workload: Workload) -> Iterator[tuple[str, str]]:
    if workload.gang is not None and workload.gang.within is not None:
        yield "gang.within", f"a gang inside one {workload.gang.within}"
    if workload.spread_over is not None and workload.desired > 1:
        yield "spreadOver", f"spreading replicas over every {workload.spread_over}"
    if not workload.roles:
        yield from _of_cards(workload.shape.gpus, "gpus")
    for number, role in enumerate(workload.roles):
        yield from _of_cards(role.shape.gpus, f"roles[{number}].gpus")


def _of_cards(gpus: GpuRequest | None, place: str) -> Iterator[tuple[str, str]]:
    """One card is always near to itself."""
    if gpus is None:
        return
    if gpus.mig is not None:
        yield f"{place}.mig", f"a MIG instance ({gpus.mig})"
    if gpus.count == 1:
        return
    if gpus.locality in (Locality.NVLINK, Locality.SAME_SOCKET):
        yield f"{place}.locality", f"locality {gpus.locality}"
    if gpus.min_bandwidth_gb_per_s:
        yield f"{place}.minBandwidth", f"a bandwidth of at least {gpus.min_bandwidth_gb_per_s:g} GB/s"
