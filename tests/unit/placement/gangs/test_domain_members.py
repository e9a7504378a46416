"""Members inside one domain are counted only where nothing else limits them."""

import pytest

import bayplan
from unit.placement.gangs.racks import CARD as WHOLE, gang_of, gang_planner, rack

CARD = {"count": 1, "model": "L40S", "memory": "48Gi"}
RACK = [
    {"name": "a", "rack": "r", "usdPerHour": 5, "gpus": CARD},
    {"name": "b", "rack": "r", "usdPerHour": 5, "spot": True, "gpus": CARD},
]
BESIDE = [{"workload": "loud", "worker": "a", "cpu": 1}]

LIMITS = {
    "none": ({}, "fits", 2),
    "a price for all": ({"cost": {"maxUsdPerHour": 10}}, "fits", 2),
    "too low a price for all": ({"cost": {"maxUsdPerHour": 9}}, "infeasible", 0),
    "somebody to avoid": ({"antiAffinity": ["loud"]}, "waiting", 0),
    "a share of spot workers": ({"cost": {"maxSpotPercent": 50}}, "fits", 2),
    "too small a share": ({"cost": {"maxSpotPercent": 49}}, "infeasible", 0),
}


@pytest.mark.parametrize(("limit", "verdict", "placed"), LIMITS.values(), ids=LIMITS)
def test_what_members_share_is_not_forgotten(limit, verdict, placed):
    spec = {"replicas": 2, "gpus": {"count": 1}, "gang": {"within": "rack"}, **limit}
    plan = bayplan.plan({"metadata": {"name": "quiet"}, "spec": spec}, {"workers": RACK, "bookings": BESIDE})

    assert (plan["verdict"], plan["placed"]) == (verdict, placed)


def racks(*sizes):
    return [
        {"name": f"w{n}", "rack": f"r{n}", "cpu": 200, "gpus": {**CARD, "count": size}} for n, size in enumerate(sizes)
    ]


def planned(spec, *sizes, bookings=()):
    document = {"metadata": {"name": "quiet"}, "spec": spec}
    return bayplan.plan(document, {"workers": racks(*sizes), "bookings": list(bookings)})


def test_where_some_are_left_out_racks_say_what_they_held_before():
    spec = {"replicas": 5, "gpus": {"count": 1}, "gang": {"within": "rack", "minimum": 2}}
    plan = planned(spec, 2, 3, 1)

    assert (plan["verdict"], plan["placed"]) == ("partly", 3)
    assert {part["worker"] for each in plan["replicas"] for part in each["workers"]} == {"w1"}
    assert sum(each["chosen"] for each in plan["options"]) == 1
    assert [each["message"] for each in plan["rejections"]] == [
        "its rack has room for 3 members; 5 must be in one rack"
    ]  # fmt: skip


def test_those_that_are_left_out_are_named():
    plan = gang_planner(gang_of(WHOLE, replicas=5, minimum=2, within=True), *rack("x", 2), *rack("y", 3)).arrange()

    assert plan.trial.blocked == ["mine/3", "mine/4"]


def test_roles_of_one_shape_are_members_like_any_other():
    roles = [{"name": name, "replicas": 2, "gpus": {"count": 1}} for name in ("first", "second")]
    plan = planned({"roles": roles, "gang": {"within": "rack"}}, 3, 4)

    assert [(each["index"], each["role"]) for each in plan["replicas"]] == [
        (0, "first"), (1, "first"), (2, "second"), (3, "second"),
    ]  # fmt: skip
    assert {part["worker"] for each in plan["replicas"] for part in each["workers"]} == {"w1"}


def test_every_worker_says_how_many_its_rack_would_hold():
    plan = planned({"replicas": 4, "gpus": {"count": 1}, "gang": {"within": "rack"}}, 2, 2)

    (refusal,) = plan["rejections"]
    assert (plan["verdict"], refusal["code"], refusal["workers"]) == ("infeasible", "gang-short", 2)
    assert refusal["message"] == "its rack has room for 2 members; 4 must be in one rack"


def test_more_members_than_are_looked_ahead_on_one_worker():
    plan = planned({"replicas": 150, "cpu": 1, "gang": {"within": "rack"}}, 1)

    assert (plan["verdict"], plan["placed"]) == ("fits", 150)
