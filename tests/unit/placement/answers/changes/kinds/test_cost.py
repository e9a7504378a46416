from __future__ import annotations

import pytest

from unit.placement.answers.changes.asking import change, cluster, kinds, worker

ON = cluster(worker("a", usdPerHour=12.5), worker("b", usdPerHour=32.773), worker("c", cards=4, usdPerHour=70))


def paying(limit, **others):
    return {"gpus": {"count": 2}, "cost": {"maxUsdPerHour": limit}, **others}


CASES = {
    "the cheapest worker": (paying(10), 12.5, 12.49),
    "two workers together": (paying(10, replicas=2), 45.28, 45.27),
    "one worker holds two": (paying(40, gpus={"count": 4}), 70, 69.99),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "limit", "short"), CASES.values(), ids=CASES)
def test_the_limit_to_the_cent(spec, limit, short):
    found = change(spec, ON, "cost-limit")

    assert (found["to"], found["not_enough"]["to"]) == (limit, short)
    assert f"-> {limit:.2f} USD an hour ({short:.2f} is not enough)" in found["detail"]


def test_a_price_that_nobody_knows_is_no_limit_to_name():
    assert "cost-limit" not in kinds(paying(10), cluster(worker("a")))


SHARES = {
    "one more": ({"replicas": 4, "cost": {"maxSpotPercent": 25}}, 3, "cost.maxSpotPercent", 25, 50),
    "rounded up": ({"replicas": 3, "cost": {"maxSpotPercent": 10}}, 2, "cost.maxSpotPercent", 10, 34),
    "all": ({"replicas": 2, "cost": {"maxSpotPercent": 0}}, 2, "cost.maxSpotPercent", 0, 50),
    "of all roles": (
        {"roles": [{"name": "x"}, {"name": "y", "replicas": 3}], "cost": {"maxSpotPercent": 25}}, 3,
        "roles[0].cost.maxSpotPercent", 25, 50),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "cards", "field", "before", "after"), SHARES.values(), ids=SHARES)
def test_more_of_them_on_spot_workers(spec, cards, field, before, after):
    steady = spec.get("replicas", 4) - cards + 1
    on = cluster(worker("a", cards=cards, spot=True), worker("b", cards=steady))
    found = change({"gpus": {"count": 1}, **spec}, on, "spot-share")

    assert (found["field"], found["from"], found["to"]) == (field, before, after)
    assert found["detail"].startswith(f"{after} % of the replicas on spot workers instead of {before}")


def test_a_larger_share_is_no_help_where_cards_are_missing():
    on = cluster(worker("a", cards=1, spot=True))

    assert "spot-share" not in kinds({"gpus": {"count": 1}, "replicas": 4, "cost": {"maxSpotPercent": 50}}, on)


def test_spot_workers():
    on = cluster(worker("a", spot=True))

    assert change({"gpus": {"count": 1}, "cost": {"spot": False}}, on, "spot")["detail"] == "allow spot workers"
    assert "spot" not in kinds({"gpus": {"count": 3}, "cost": {"spot": False}}, on)
