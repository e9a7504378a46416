"""Gangs: all or none, no trace of what was only asked, and the verdicts of an exact solver."""

from hypothesis import event, given, strategies as st

import bayplan
from properties.placement.documents import FEWER, workload
from properties.placement.gangs import members, most_members, racked, verdict_of


def said_by(plan):
    event(plan["verdict"])
    return plan["verdict"], plan["placed"]


def expected(roles, cluster, desired, minimum, **how):
    now = most_members(roles, cluster, **how)
    emptied = most_members(roles, cluster, emptied=True, **how)
    return verdict_of(now, desired, minimum, emptied)


@FEWER
@given(racked(), members(), st.integers(1, 6), st.integers(1, 6), st.sampled_from(("pack", "spread")))
def test_equal_members_are_counted_as_an_exact_solver_does(cluster, shape, desired, minimum, strategy):
    minimum = min(desired, minimum)
    spec = {**shape, "replicas": desired, "gang": {"minimum": minimum}, "strategy": strategy}

    plan = bayplan.plan(workload(spec), cluster)

    assert said_by(plan) == expected([(shape, desired)], cluster, desired, minimum)


@FEWER
@given(racked(), members(), st.integers(1, 6), st.integers(1, 6), st.sampled_from(("pack", "spread")))
def test_equal_members_inside_one_rack(cluster, shape, desired, minimum, strategy):
    minimum = min(desired, minimum)
    gang = {"minimum": minimum, "within": "rack"}

    plan = bayplan.plan(workload({**shape, "replicas": desired, "gang": gang, "strategy": strategy}), cluster)

    assert said_by(plan) == expected([(shape, desired)], cluster, desired, minimum, within=True)
    racks = {each["rack"] for each in cluster["workers"] if each["name"] in workers_of(plan)}
    assert len(racks) <= 1


@FEWER
@given(racked(), members(), st.integers(1, 6), st.integers(1, 6), st.booleans())
def test_equal_members_over_racks(cluster, shape, desired, minimum, gang):
    minimum = min(desired, minimum) if gang else 1
    spec = {**shape, "replicas": desired, "spreadOver": "rack", **({"gang": {"minimum": minimum}} if gang else {})}

    plan = bayplan.plan(workload(spec), cluster)

    assert said_by(plan) == expected([(shape, desired)], cluster, desired, minimum, spread=True)


@FEWER
@given(racked(), st.lists(st.tuples(members(), st.integers(1, 3)), min_size=2, max_size=3), st.integers(1, 8))
def test_members_of_different_shapes_in_whatever_order(cluster, roles, minimum):
    desired = sum(number for _, number in roles)
    minimum = min(desired, minimum)
    wanted = expected(roles, cluster, desired, minimum)

    for order in (roles, roles[::-1]):
        spec = {"roles": [role(*each, place) for place, each in enumerate(order)], "gang": {"minimum": minimum}}
        assert said_by(bayplan.plan(workload(spec), cluster)) == wanted


def role(shape, number, place):
    return {"name": f"role-{place}", "replicas": number, **shape}


def workers_of(plan):
    return {part["worker"] for replica in plan["replicas"] for part in replica["workers"]}
