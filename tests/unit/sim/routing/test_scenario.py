import pytest

from bayplan.framework.errors import InputError
from bayplan.sim.routing.policies import POLICIES
from bayplan.sim.routing.replay import Outage
from bayplan.sim.routing.scenario import Bursts, Scenario
from unit.sim.routing.traces import SPEC, trace, turns

TALK = turns(60, gap_s=0.4, conversations=7)


@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_serves_every_request(policy):
    result = Scenario("talk", TALK, [SPEC] * 3).replay(policy)

    assert all(each.finished_s is not None for each in result.served)


@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_outlives_the_loss_of_an_engine(policy):
    result = Scenario("talk", TALK, [SPEC] * 3, outages=[Outage(3.0, 1, 5.0)]).replay(policy, speed=2.0)

    assert all(each.ttft_s is not None for each in result.served)


@pytest.mark.parametrize("policy", POLICIES)
def test_the_same_seed_gives_the_same_replay(policy):
    first, second = (Scenario("talk", TALK, [SPEC] * 3, seed=7).replay(policy, speed=3.0) for _ in range(2))

    assert [each.ttft_s for each in first.served] == [each.ttft_s for each in second.served]


def test_policies_that_know_prefixes_reuse_more():
    scenario = Scenario("talk", TALK, [SPEC] * 3)
    reuse = {policy: scenario.replay(policy).reuse for policy in POLICIES}

    assert min(reuse[name] for name in ("gie", "gie-here", "dynamo", "token-load", "early", "late")) > reuse["rr"] + 0.2
    assert reuse["bound"] >= max(reuse.values()) - 0.05


def test_bursts_make_requests_wait():
    calm = Scenario("talk", TALK, [SPEC] * 2).replay("late")
    burst = Scenario("talk", TALK, [SPEC] * 2, bursts=Bursts(10.0, 10.0, 0.5)).replay("late")

    assert burst.mean_ttft_s > calm.mean_ttft_s


def test_a_wrong_belief_is_corrected():
    right, wrong = (Scenario("talk", TALK, [SPEC] * 3, belief=belief).replay("late") for belief in (1.0, 2.0))

    assert wrong.mean_ttft_s == pytest.approx(right.mean_ttft_s, rel=0.2)


def test_a_hopeless_run_ends_early():
    result = Scenario("flood", turns(400, gap_s=0.001, conversations=300), [SPEC]).replay("rr", criteria="ABCD")

    assert not any(result.met.values())


WRONG = {
    "no engines": ("engines", lambda: Scenario("none", TALK, [])),
    "no requests": ("trace", lambda: Scenario("none", trace(), [SPEC])),
    "no such policy": ("policy", lambda: Scenario("talk", TALK, [SPEC]).replay("lates")),
}


@pytest.mark.parametrize(("place", "make"), WRONG.values(), ids=WRONG)
def test_what_cannot_be_replayed_is_refused(place, make):
    with pytest.raises(InputError) as refused:
        make()

    assert refused.value.place == place
