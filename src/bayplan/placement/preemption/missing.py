"""The members that a workload still lacks, one by one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bayplan.placement.plans import Member
from bayplan.placement.staffing import members_there

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.placement.planner import Planner
    from bayplan.placement.plans import Request


def missing_members(planner: Planner, request: Request) -> list[Member]:
    """One entry a replica."""
    counts = members_there(request.members, planner.index.of(request.workload.key))
    pairs = zip(request.members, counts, strict=True)
    return [member for member, there in pairs for _ in range(member.replicas - there)]


def one_more(planner: Planner, request: Request, member: Member) -> Request:
    """The request for one further replica of a member, beside those that are there."""
    number = replicas_there(planner, request) + 1
    workload = replace(request.workload, shape=member.sized.shape, roles=(), replicas=number, gang=None)
    return replace(request, workload=workload, members=(Member(None, number, member.sized),), part_of=request.whole)


def replicas_there(planner: Planner, request: Request) -> int:
    """Replicas that the workload has already."""
    return len({booking.replica for booking in planner.index.of(request.workload.key)})


def only_roles(planner: Planner, request: Request, names: Sequence[str]) -> Request:
    """The request for the missing members of these roles alone: of the others those that are there stay."""
    roles, members = [], []
    counts = members_there(request.members, planner.index.of(request.workload.key))
    for role, member, there in zip(request.workload.roles, request.members, counts, strict=True):
        number = member.replicas if role.name in names else there
        roles.append(replace(role, replicas=number))
        members.append(replace(member, replicas=number))
    workload = replace(request.workload, roles=tuple(roles), gang=None)
    return replace(request, workload=workload, members=tuple(members), part_of=request.whole)
