"""Which members are missing, and workloads of only some of them."""

from dataclasses import replace

import pytest

from bayplan.cluster.gang import Gang
from bayplan.placement.preemption.missing_members import missing_members, one_more, only_roles, replicas_there
from fleets import booking, whole
from unit.placement.builders import planned_cluster, role, sized, worker

ONE, TWO = (role(gpus={"count": count}) for count in (1, 2))
ROLES = sized(("head", 1, TWO), ("body", 3, ONE), gang=Gang())


def on(*replicas):
    """A cluster where these replicas of the workload stand, beside one of somebody else."""
    held = [booking("mine", whole(card), replica=number) for card, number in enumerate(replicas)]
    return planned_cluster(worker(cards=8), worker("b", cards=1), bookings=[*held, booking("other", whole(0), on="b")])


MISSING = {
    "all": (sized(ONE, replicas=3), (), [None] * 3),
    "some": (sized(ONE, replicas=3), (0, 2), [None]),
    "none": (sized(ONE, replicas=2), (0, 1), []),
    "more are there than wanted": (sized(ONE), (0, 1), []),
    "all roles": (ROLES, (), ["head", "body", "body", "body"]),
    "those that are there count for the first roles": (ROLES, (3, 1), ["body", "body"]),
}


@pytest.mark.parametrize(("asked", "there", "roles"), MISSING.values(), ids=MISSING)
def test_missing(asked, there, roles):
    assert [role.name for role in missing_members(on(*there), asked)] == roles


def test_a_replica_over_two_workers_is_one():
    wide = [booking("mine", whole(0)), booking("mine", whole(0), on="b")]

    assert replicas_there(planned_cluster(worker(cards=1), worker("b", cards=1), bookings=wide), sized(ONE)) == 1


def test_one_more_asks_for_the_next_replica_of_that_role():
    further = one_more(on(0, 1), ROLES, ROLES.roles[1])

    assert further.roles == (replace(ONE, replicas=3),)
    assert (further.workload.name, further.workload.replicas) == ("mine", 3)
    assert (further.workload.gang, further.workload.roles) == (None, ())
    assert further.whole is ROLES


ROLES_ALONE = {
    "nobody is there": ((), ["body"], [0, 3]),
    "those that are there stay": ((0, 1), ["head"], [1, 1]),
    "all roles": ((), ["head", "body"], [1, 3]),
    "none of them": ((0, 1, 2), [], [1, 2]),
}


@pytest.mark.parametrize(("there", "names", "numbers"), ROLES_ALONE.values(), ids=ROLES_ALONE)
def test_only_these_roles(there, names, numbers):
    part = only_roles(on(*there), ROLES, names)

    assert [role.replicas for role in part.roles] == numbers
    assert [role.replicas for role in part.workload.roles] == numbers
    assert part.workload.gang is None
    assert part.whole is ROLES
