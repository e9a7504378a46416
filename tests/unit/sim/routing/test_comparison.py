import pytest

from bayplan.sim.routing.comparison import compare
from bayplan.sim.routing.result import CRITERIA
from bayplan.sim.routing.scenario import Scenario
from unit.sim.routing.traces import SPEC, turns

SCENARIO = Scenario("talk", turns(30, gap_s=0.4, conversations=5), [SPEC] * 2)


class Lazy:
    """A policy that never sends anything."""

    name = "lazy"

    def arrive(self, request, now):
        return ()


def test_every_policy_has_its_figures():
    document = compare(SCENARIO, {"rr": "rr", "mine": "late"}, speed=2.0)

    assert [document[key] for key in ("kind", "requests", "engines", "profile", "speed")] == [
        "Comparison", 30, 2, "tiny", 2.0,
    ]  # fmt: skip
    turn, late = document["policies"]
    assert (turn["policy"], late["policy"]) == ("rr", "mine")
    assert late["cached"] > turn["cached"]
    assert late["served"] == 30
    assert late["ttft_s"]["p50"] <= late["ttft_s"]["p90"] <= late["ttft_s"]["p99"]
    assert late["tpot_s"]["p99"] > 0
    assert set(late["met"]) == set(CRITERIA)
    assert late["capacity"] is None


def test_times_that_never_came_are_unknown():
    (lazy,) = compare(SCENARIO, {"lazy": lambda pool: Lazy()})["policies"]

    assert lazy["ttft_s"] == dict.fromkeys(("mean", "p50", "p90", "p99"))
    assert (lazy["served"], any(lazy["met"].values())) == (0, False)


def test_capacities_on_demand():
    (found,) = compare(SCENARIO, {"rr": "rr"}, with_capacity=True)["policies"]

    assert found["capacity"].keys() == set(CRITERIA)
    assert SCENARIO.replay("rr", found["capacity"]["B"]).mean_ttft_s == pytest.approx(2.0, rel=0.5)
