"""A share of spot workers: never more than that, and never fewer members than an exact solver finds room for."""

from itertools import product

from hypothesis import event, given, strategies as st

import bayplan
from bayplan.placement.gangs.affordable_workers import cheapest
from properties.placement.documents import FEWER, workload
from properties.placement.gangs import members, most_members, racked, verdict_of

PERCENTS = st.sampled_from((0, 20, 25, 33.4, 50, 75, 100))


@st.composite
def partly_lent(draw):
    """A cluster of which about half the workers are spot."""
    cluster = draw(racked(most=5))
    for worker in cluster["workers"]:
        worker["spot"] = draw(st.booleans())
    return cluster


def planned(cluster, spec, percent, desired):
    """The plan, of which the share was looked at, and how many may stand on spot workers."""
    most = int(percent * 10) * desired // 1000
    plan = bayplan.plan(workload({**spec, "cost": {"maxSpotPercent": percent}}), cluster)
    lent = {each["name"] for each in cluster["workers"] if each["spot"]}
    there = [each for each in plan["replicas"] if lent & {part["worker"] for part in each["workers"]}]
    event(f"{plan['verdict']}, {len(there)} of at most {most}")
    assert len(there) <= most
    return plan, most


def expected(roles, cluster, desired, minimum, most, **how):
    now, emptied = (most_members(roles, cluster, emptied=gone, most_on_spot=most, **how) for gone in (False, True))
    return verdict_of(now, desired, minimum, emptied)


@FEWER
@given(partly_lent(), members(), st.integers(1, 6), st.integers(1, 6), PERCENTS, st.sampled_from(("pack", "spread")))
def test_equal_members(cluster, shape, desired, minimum, percent, strategy):
    minimum = min(desired, minimum)
    spec = {**shape, "replicas": desired, "gang": {"minimum": minimum}, "strategy": strategy}
    plan, most = planned(cluster, spec, percent, desired)

    assert (plan["verdict"], plan["placed"]) == expected([(shape, desired)], cluster, desired, minimum, most)


@FEWER
@given(partly_lent(), members(), st.integers(1, 6), st.integers(1, 6), PERCENTS)
def test_equal_members_inside_one_rack(cluster, shape, desired, minimum, percent):
    minimum = min(desired, minimum)
    spec = {**shape, "replicas": desired, "gang": {"minimum": minimum, "within": "rack"}}
    plan, most = planned(cluster, spec, percent, desired)

    wanted = expected([(shape, desired)], cluster, desired, minimum, most, within=True)
    assert (plan["verdict"], plan["placed"]) == wanted


@FEWER
@given(partly_lent(), st.lists(st.tuples(members(), st.integers(1, 3)), min_size=2, max_size=3), PERCENTS)
def test_members_of_different_shapes(cluster, roles, percent):
    desired = sum(number for _, number in roles)
    named = [{"name": f"role-{place}", "replicas": number, **shape} for place, (shape, number) in enumerate(roles)]
    plan, most = planned(cluster, {"roles": named, "gang": {"minimum": desired}}, percent, desired)

    assert (plan["verdict"], plan["placed"]) == expected(roles, cluster, desired, desired, most)


WORKERS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), st.booleans()), max_size=5)


@FEWER
@given(WORKERS, st.integers(1, 6), st.integers(0, 9), st.integers(0, 4))
def test_nobody_holds_more_members_for_less_money(workers, wanted, limit, most):
    prices, rooms = [float(each[0]) for each in workers], [each[1] for each in workers]
    lent = [place for place, each in enumerate(workers) if each[2]]

    def worth(places):
        there = min(most, sum(rooms[place] for place in places if place in lent))
        here = sum(rooms[place] for place in places if place not in lent)
        return min(wanted, there + here), -sum(prices[place] for place in places)

    every = ([place for place, used in enumerate(each) if used] for each in product((0, 1), repeat=len(workers)))
    best = max(worth(places) for places in every if -worth(places)[1] <= limit)

    assert worth(cheapest(prices, rooms, wanted, float(limit), lent, most)) == best
