"""What a plan says of its replicas."""

from unit.placement.builders import planner, role, sized, worker

CARD = role(gpus={"count": 1})


def test_bookings_say_the_role_of_their_replica():
    plan = planner(worker(cards=3)).plan(sized(("head", 1, CARD), ("body", 2, CARD)))

    assert [(each.replica, each.role) for each in plan.bookings] == [(0, "head"), (1, "body"), (2, "body")]


def test_bookings_of_a_workload_without_roles_say_none():
    plan = planner(worker(cards=2)).plan(sized(CARD, replicas=2))

    assert [(each.replica, each.role) for each in plan.bookings] == [(0, ""), (1, "")]
