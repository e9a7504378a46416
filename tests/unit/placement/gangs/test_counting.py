"""Members inside one domain are counted only where nothing else limits them."""

import pytest

import bayplan

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
