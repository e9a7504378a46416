"""What a plan says of its replicas."""

from unit.placement.builders import planner, role, sized, worker

CARD = role(gpus={"count": 1})


def test_bookings_say_the_role_of_their_replica():
    plan = planner(worker(cards=3)).plan(sized(("head", 1, CARD), ("body", 2, CARD)))

    assert [(each.replica, each.role) for each in plan.bookings] == [(0, "head"), (1, "body"), (2, "body")]


def test_bookings_of_a_workload_without_roles_say_none():
    plan = planner(worker(cards=2)).plan(sized(CARD, replicas=2))

    assert [(each.replica, each.role) for each in plan.bookings] == [(0, ""), (1, "")]


def test_a_plan_says_what_it_takes_to_make_it_again():
    """Chance and time are in the plan, so that the same cluster gives the same plan."""
    workers = [worker(f"w{number}", cards=4) for number in range(30)]
    asked = sized(role(gpus={"count": 1}, max_workers_to_score=3), replicas=5)
    first = planner(*workers, seed=41, now=9.0).plan(asked)
    again = planner(*workers, seed=first.seed, now=first.now).plan(asked)
    other = planner(*workers, seed=7, now=first.now).plan(asked)

    assert (first.seed, first.now) == (41, 9.0)
    assert first.bookings == again.bookings
    assert first.bookings != other.bookings
