from __future__ import annotations

from unit.placement.answers.changes.asking import change, cluster, worker

ON = cluster(
    worker("a", cards=1, carbonGramsPerKwh=120),
    worker("b", carbonGramsPerKwh=300),
    worker("c", carbonGramsPerKwh=450),
)


def test_the_lowest_limit_that_lets_it_in():
    found = change({"gpus": {"count": 2}, "maxCarbonGramsPerKwh": 100}, ON, "carbon-limit")

    assert found["detail"] == "carbon limit 100 -> 300 g/kWh (120 is not enough)"
    assert (found["to"], found["not_enough"]["to"]) == (300, 120)


def test_the_first_step_shows_the_present_limit():
    found = change({"gpus": {"count": 1}, "maxCarbonGramsPerKwh": 100}, ON, "carbon-limit")

    assert found["detail"] == "carbon limit 100 -> 120 g/kWh"
    assert found["not_enough"]["to"] == 100
