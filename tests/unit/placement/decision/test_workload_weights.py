"""Weights of a workload: some are fixed, the others share what is left."""

import pytest

from bayplan.framework.pickers.max_score import MaxScore
from bayplan.framework.profile import Profile, Weighted
from bayplan.placement.decision.workload_weights import reweighted
from bayplan.placement.scorers.carbon import Carbon
from bayplan.placement.scorers.power import Power
from unit.placement.builders import profiles

FIVE = {"gpu-availability": 30, "topology": 25, "model-cache": 20, "cost": 15, "data-locality": 10}


def weights_of(profile):
    return {each.key: pytest.approx(each.weight) for each in profile.weighted}


def others(share, *fixed):
    return {name: weight * share for name, weight in FIVE.items() if name not in fixed}


CASES = {
    "none": ((), FIVE),
    "the cache": ((("model-cache", 30.0),), {**others(70 / 80, "model-cache"), "model-cache": 30}),
    "the cache alone": ((("model-cache", 100.0),), {**others(0, "model-cache"), "model-cache": 100}),
    "no cache": ((("model-cache", 0.0),), {**others(100 / 80, "model-cache"), "model-cache": 0}),
    "places": ((("data-locality", 20.0),), {**others(80 / 90, "data-locality"), "data-locality": 20}),
    "what it weighs anyway": ((("data-locality", 10.0),), FIVE),
    "both": (
        (("model-cache", 30.0), ("data-locality", 20.0)),
        {**others(50 / 70, "model-cache", "data-locality"), "model-cache": 30, "data-locality": 20}),
    "more than all": (
        (("model-cache", 90.0), ("data-locality", 20.0)),
        {**others(0, "model-cache", "data-locality"), "model-cache": 90, "data-locality": 20}),
    "carbon beside them": ((("carbon", 15.0),), {**FIVE, "carbon": 15}),
    "carbon and a weight": (
        (("model-cache", 30.0), ("carbon", 15.0)), {**others(70 / 80, "model-cache"), "model-cache": 30, "carbon": 15}),
    "a scorer that is not there": ((("binpack", 50.0),), FIVE),
}  # fmt: skip


@pytest.mark.parametrize(("weights", "wanted"), CASES.values(), ids=CASES)
def test_the_five_factors(weights, wanted):
    assert weights_of(reweighted(profiles()["five-factors"], weights)) == wanted


def test_the_order_of_addition_stays():
    changed = reweighted(profiles()["five-factors"], (("model-cache", 30.0), ("carbon", 15.0)))

    assert [each.key for each in changed.weighted] == [*FIVE, "carbon"]


def test_percent_of_whatever_a_configuration_gives():
    """Two scorers that weigh 4 together: a percent is a hundredth of that."""
    mine = Profile("mine", MaxScore(), scorers=(Weighted(Power(), 3.0), Weighted(Carbon(), 1.0)))

    assert weights_of(reweighted(mine, (("power", 50.0),))) == {"power": 2.0, "carbon": 2.0}
    assert weights_of(reweighted(mine, (("carbon", 15.0),))) == {"power": 3.0, "carbon": 1.0}


def test_each_level_by_itself():
    mine = Profile("mine", MaxScore(), scorers=(Weighted(Power(), 3.0, level=-1), Weighted(Carbon(), 1.0)))
    changed = reweighted(mine, (("power", 50.0), ("preferred-region", 10.0)))

    assert [(each.key, each.weight, each.level) for each in changed.weighted] == [
        ("power", 1.5, -1),
        ("carbon", 1.0, 0),
        ("preferred-region", 0.1, 0),
    ]


def test_one_scorer_under_two_names():
    twice = (Weighted(Power(), 1.0, name="p"), Weighted(Power(), 1.0, name="q"), Weighted(Carbon(), 2.0))

    assert weights_of(reweighted(Profile("mine", MaxScore(), scorers=twice), (("power", 10.0),))) == {
        "p": 0.2,
        "q": 0.2,
        "carbon": 3.6,
    }


def test_a_profile_without_scorers():
    assert weights_of(reweighted(Profile("mine", MaxScore()), (("carbon", 15.0), ("cost", 5.0)))) == {"carbon": 15.0}
