"""The members that a workload still lacks, one by one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bayplan.placement.asks.role_counts import members_there

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.placement.asks.sized_workload import SizedRole, SizedWorkload
    from bayplan.placement.decision.planned_cluster import PlannedCluster


def missing_members(state: PlannedCluster, sized: SizedWorkload) -> list[SizedRole]:
    """One entry a replica."""
    counts = members_there(sized.roles, state.ledger.held_by_workload(sized.workload.key))
    pairs = zip(sized.roles, counts, strict=True)
    return [role for role, there in pairs for _ in range(role.replicas - there)]


def one_more(state: PlannedCluster, sized: SizedWorkload, role: SizedRole) -> SizedWorkload:
    """The workload with one further replica of a role, beside the replicas that are booked."""
    number = replicas_there(state, sized) + 1
    workload = replace(sized.workload, shape=role.shape, roles=(), replicas=number, gang=None)
    return replace(sized, workload=workload, roles=(replace(role, name=None, replicas=number),), part_of=sized.whole)


def replicas_there(state: PlannedCluster, sized: SizedWorkload) -> int:
    """Replicas that the workload has already."""
    return len({booking.replica for booking in state.ledger.held_by_workload(sized.workload.key)})


def only_roles(state: PlannedCluster, sized: SizedWorkload, names: Sequence[str]) -> SizedWorkload:
    """The missing replicas of these roles alone: of the other roles, what is booked stays."""
    named, roles = [], []
    counts = members_there(sized.roles, state.ledger.held_by_workload(sized.workload.key))
    for name, role, there in zip(sized.workload.roles, sized.roles, counts, strict=True):
        number = role.replicas if name.name in names else there
        named.append(replace(name, replicas=number))
        roles.append(replace(role, replicas=number))
    workload = replace(sized.workload, roles=tuple(named), gang=None)
    return replace(sized, workload=workload, roles=tuple(roles), part_of=sized.whole)
