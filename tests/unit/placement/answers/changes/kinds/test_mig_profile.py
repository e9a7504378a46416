from __future__ import annotations

import pytest

from unit.placement.answers.changes.asking import change, cluster, kinds


def worker(name, **slices):
    return {"name": name, "migSlices": {profile.replace("_", "."): number for profile, number in slices.items()}}


def test_the_smallest_larger_profile_that_can_be_had():
    on = cluster(worker("a", **{"1g.10gb": 0, "3g.20gb": 1, "2g.10gb": 1, "1g.20gb": 1}))

    found = change({"gpus": {"mig": "1g.5gb"}}, on, "mig-profile")

    assert found["detail"] == "ask for 2g.10gb instead of 1g.5gb (1g.10gb does not fit)"
    assert (found["field"], found["from"], found["to"]) == ("gpus.mig", "1g.5gb", "2g.10gb")


def test_those_of_cards_that_may_be_cut():
    card = {"index": 0, "model": "A100-SXM4-80GB", "memory": "80Gi", "mig": {"reconfigurable": True}}

    found = change({"gpus": {"mig": "1g.5gb"}}, cluster({"name": "a", "gpus": [card]}), "mig-profile")

    assert found["to"] == "1g.10gb"


def test_smaller_ones_do_not_do():
    on = cluster(worker("a", **{"1g.5gb": 7, "1g.20gb": 7, "4g.20gb": 0}))

    assert "mig-profile" not in kinds({"gpus": {"mig": "3g.20gb"}}, on)


@pytest.mark.parametrize("name", ["small", "9" * 5000 + "g.5gb"])
def test_a_name_that_says_no_size_is_not_compared(name):
    assert "mig-profile" not in kinds({"gpus": {"mig": name}}, cluster(worker("a", **{"1g.5gb": 7})))


def test_a_worker_whose_profile_says_no_size_is_passed_over():
    on = cluster(worker("a", **{"9" * 5000 + "g.5gb": 1, "2g.10gb": 1}))

    assert change({"gpus": {"mig": "1g.5gb"}}, on, "mig-profile")["to"] == "2g.10gb"
