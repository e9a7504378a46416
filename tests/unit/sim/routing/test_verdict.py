import pytest

from bayplan.sim.routing.result import Result, Served
from bayplan.sim.routing.verdict import Verdict
from unit.sim.routing.traces import request

TOKEN_S = 0.001
RUNS = {
    "all is well": ([0.1] * 20, "ABCD", False),
    "everything is missed": ([60.0] * 20, "ABCD", True),
    "a third missed everything, which is enough": ([60.0] * 7, "ABCD", True),
    "a mean can still be met": ([4.9] * 7, "ABCD", False),
    "nobody asks about the mean": ([4.9] * 7, "AC", True),
    "nothing came yet": ([], "ABCD", False),
}


@pytest.mark.parametrize(("times", "criteria", "is_lost"), RUNS.values(), ids=RUNS)
def test_a_run_of_twenty_is_lost_once_nothing_can_be_met(times, criteria, is_lost):
    verdict = Verdict(20, TOKEN_S, criteria)
    for number, ttft_s in enumerate(times):
        verdict.first_token(request(number, 5.0, tokens=1000), 5.0 + ttft_s)

    assert verdict.is_lost is is_lost


def test_what_is_lost_is_not_met_in_the_end():
    times = [60.0] * 7
    met = Result([Served(request(n, tokens=1000), ttft, None, 0) for n, ttft in enumerate(times + [0.0] * 13)], TOKEN_S)

    assert not any(met.met.values())
