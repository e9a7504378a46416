import pytest

from bayplan.sim.routing.pickers.round_robin import RoundRobin
from bayplan.sim.routing.replay import Outage, Replay
from bayplan.sim.routing.verdict import Verdict
from unit.sim.routing.traces import PROFILE, SPEC, request, trace, turns


def replay(of, engines=1, picker=None, **options):
    def make(_number):
        return SPEC.engine(of.block_tokens)

    made = [make(number) for number in range(engines)]
    return Replay(of, make, made, picker or RoundRobin(engines), token_s=PROFILE.timing.prefill_s, **options).run()


def test_a_request_takes_a_step_and_its_tokens():
    result = replay(trace(request("a", 3.0, tokens=500, output=3)))

    (served,) = result.served
    assert (served.ttft_s, served.finished_s) == pytest.approx((0.51, 3.53))


def test_the_second_waits_for_the_first():
    result = replay(trace(request("a", 0.0, tokens=1000), request("b", 0.1, tokens=1000)))

    assert [each.ttft_s for each in result.served] == pytest.approx([1.01, 1.92])


def test_two_engines_do_not_wait_for_each_other():
    result = replay(trace(request("a", 0.0, tokens=1000), request("b", 0.1, tokens=1000)), engines=2)

    assert [each.ttft_s for each in result.served] == pytest.approx([1.01, 1.01])


def test_blocks_that_were_computed_are_reused():
    result = replay(trace(request("a", 0.0, 1, 2, 3), request("b", 5.0, 1, 2, 3, 4)))

    assert [each.cached_tokens for each in result.served] == [0, 300]
    assert result.served[1].ttft_s == pytest.approx(0.11)


def test_changes_are_told_with_their_times():
    heard = []
    replay(trace(request("a", 3.0, tokens=500)), on_change=lambda *change: heard.append(change))

    assert heard == [(0, 3.0), (0, pytest.approx(3.51))]


def test_a_lost_run_ends_early():
    requests = [request(number, number * 0.001, tokens=1000) for number in range(100)]

    result = replay(trace(*requests, request("late", 1e6)), verdict=Verdict(101, 0.001, "ABCD"))

    assert not result.is_complete
    assert not any(result.met.values())


def test_requests_of_a_lost_engine_are_sent_again():
    requests = [request("a", 0.0, tokens=900, output=100), request("b", 0.0, tokens=900), request("c", 9.0, tokens=900)]

    result = replay(trace(*requests), engines=2, outages=[Outage(0.5, 1, 3.0)])

    assert [each.ttft_s for each in result.served] == pytest.approx([0.91, 0.91 + 0.911, 0.91], abs=0.1)


def test_a_request_with_a_first_token_is_over_when_its_engine_is_lost():
    result = replay(trace(request("a", 0.0, tokens=100, output=1000)), engines=2, outages=[Outage(1.0, 0, 1.0)])

    (served,) = result.served
    assert (served.ttft_s, served.finished_s) == (pytest.approx(0.11), None)


def test_every_request_is_served_once():
    result = replay(turns(200, gap_s=0.05, conversations=20), engines=3)

    assert all(each.finished_s is not None for each in result.served)
    assert result.is_complete
