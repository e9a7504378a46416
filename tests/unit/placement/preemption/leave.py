"""Workloads whose roles say themselves what they may push aside."""

from dataclasses import replace

from bayplan.cluster.workload import Preemption
from unit.placement.builders import sized

NEVER, LOWER = Preemption


def roles(*described, priority=0, **others):
    """Roles as (name, replicas, shape, priority, leave)."""
    made = sized(*(each[:3] for each in described), priority=priority, **others)
    named = zip(made.workload.roles, described, strict=True)
    changed = tuple(replace(role, priority=each[3], preemption=each[4]) for role, each in named)
    return replace(made, workload=replace(made.workload, roles=changed))
