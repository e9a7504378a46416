import pytest

from bayplan.sim.routing.pickers.dynamo import Dynamo
from bayplan.sim.routing.pickers.immediate import Immediate
from bayplan.sim.routing.pickers.least_requests import LeastRequests
from bayplan.sim.routing.pickers.least_tokens import LeastTokens
from bayplan.sim.routing.pickers.round_robin import RoundRobin
from unit.sim.routing.traces import request

LONG, SHORT = (1, 2, 3, 4, 5), (9,)


def dynamo(engines):
    return Dynamo(engines, 50, 100)


STEPS = {
    "in turn": (RoundRobin, [("a", LONG), ("b", SHORT), ("c", SHORT), ("d", SHORT)], "0120"),
    "every request counts until its end": (LeastRequests, [("a", LONG), "first a", ("b", SHORT), ("c", SHORT)], "xyz"),
    "tokens count until the first token": (LeastTokens, [("a", LONG), ("b", SHORT), ("c", SHORT), "first b"], "xyz"),
    "where its blocks are": (dynamo, [("a", LONG), "first a", ("b", (*LONG, 6))], "xx"),
    "unless too much waits there": (dynamo, [("a", LONG), ("b", (*LONG[:1], 20))], "xy"),
}


@pytest.mark.parametrize(("policy", "steps", "where"), STEPS.values(), ids=STEPS)
def test_where_requests_go(policy, steps, where):
    """Letters stand for engines that chance chose: equal letters for the same engine, others for different ones."""
    picker, found = policy(3), []
    for step in steps:
        if isinstance(step, str):
            picker.first_token(step.removeprefix("first "), 1.0)
        else:
            ((_, engine),) = picker.arrive(request(step[0], 0.0, *step[1]), 0.0)
            found.append(engine)

    if where[0].isdigit():
        assert "".join(map(str, found)) == where
    else:
        assert [found.index(engine) for engine in found] == [where.index(letter) for letter in where]


@pytest.mark.parametrize("policy", [RoundRobin, LeastRequests, LeastTokens, dynamo])
def test_what_was_sent_to_a_lost_engine_is_forgotten(policy):
    picker = policy(2)
    requests = [request(number, 0.0, *LONG) for number in range(6)]
    for each in requests:
        picker.arrive(each, 0.0)

    again = picker.lose(0, requests[:1], 1.0)
    assert [engine for _, engine in again] == [1]
    assert picker.regain(0, 2.0) == ()
    assert picker.live == [0, 1]
    picker.complete("0", 3.0) if policy is RoundRobin else None
    assert picker.tick(3.0) == ()


def test_without_costs_chance_decides():
    picker = Immediate(4, seed=1)
    sends = [picker.arrive(request(number, 0.0, *LONG), 0.0) for number in range(40)]

    assert {engine for ((_, engine),) in sends} == {0, 1, 2, 3}
