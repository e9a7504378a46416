"""A workload and the cluster that it is asked of, as they would be."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.cluster.booking import Booking
    from bayplan.cluster.worker import Worker
    from bayplan.cluster.workload import Shape
    from bayplan.placement.asks.sized_workload import SizedRole, SizedWorkload

    Resize = Callable[[Shape], SizedRole]


@dataclass(frozen=True, slots=True)
class Case:
    """What to plan with: a workload, workers that are new or changed, bookings that would be gone."""

    sized: SizedWorkload
    workers: tuple[Worker, ...] = ()
    gone: tuple[Booking, ...] = ()


def with_shape(sized: SizedWorkload, number: int, other: SizedRole) -> SizedWorkload:
    """The workload with the shape of another role for its n-th role."""
    shape = replace(sized.roles[number], shape=other.shape, need=other.need, engine=other.engine)
    return _with_role(sized, number, shape)


def with_replicas(sized: SizedWorkload, number: int, replicas: int) -> SizedWorkload:
    """The workload with another number of replicas for its n-th role."""
    return _with_role(sized, number, replace(sized.roles[number], replicas=replicas))


def _with_role(sized: SizedWorkload, number: int, role: SizedRole) -> SizedWorkload:
    """The same with another n-th role, in the workload itself too."""
    workload, roles = sized.workload, list(sized.roles)
    roles[number] = role
    if workload.roles:
        named = list(workload.roles)
        named[number] = replace(named[number], shape=role.shape, replicas=role.replicas)
        workload = replace(workload, roles=tuple(named))
    else:
        workload = replace(workload, shape=role.shape, replicas=role.replicas)
    return replace(sized, workload=workload, roles=tuple(roles))
