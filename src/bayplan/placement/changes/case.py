"""A workload and the cluster that it is asked of, as they would be."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.cluster.booking import Booking
    from bayplan.cluster.worker import Worker
    from bayplan.cluster.workload import Shape
    from bayplan.placement.asking import Sized
    from bayplan.placement.plans import Request

    Resize = Callable[[Shape], Sized]


@dataclass(frozen=True, slots=True)
class Case:
    """What to plan with: a request, workers that are new or otherwise than they were, bookings that would be gone."""

    request: Request
    workers: tuple[Worker, ...] = ()
    gone: tuple[Booking, ...] = ()


def with_shape(request: Request, number: int, sized: Sized) -> Request:
    """The request with another shape for its n-th member."""
    workload, members = request.workload, list(request.members)
    members[number] = replace(members[number], sized=sized)
    if workload.roles:
        roles = list(workload.roles)
        roles[number] = replace(roles[number], shape=sized.shape)
        workload = replace(workload, roles=tuple(roles))
    else:
        workload = replace(workload, shape=sized.shape)
    return replace(request, workload=workload, members=tuple(members))


def with_replicas(request: Request, number: int, replicas: int) -> Request:
    """The request with so many replicas of its n-th member."""
    workload, members = request.workload, list(request.members)
    members[number] = replace(members[number], replicas=replicas)
    if workload.roles:
        roles = list(workload.roles)
        roles[number] = replace(roles[number], replicas=replicas)
        workload = replace(workload, roles=tuple(roles))
    else:
        workload = replace(workload, replicas=replicas)
    return replace(request, workload=workload, members=tuple(members))
