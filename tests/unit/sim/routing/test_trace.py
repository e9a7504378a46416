import pytest

from bayplan.sim.routing.trace import sessions
from unit.sim.routing.traces import request, trace, turns


def times(of):
    return [each.arrived_s for each in of.requests]


def test_twice_as_fast():
    assert times(turns(3).faster(2.0)) == [0.0, 0.5, 1.0]


def test_a_stretch_begins_at_zero():
    assert times(turns(6).between(2.0, 5.0)) == [0.0, 1.0, 2.0]


def test_the_end_of_a_trace():
    assert turns(6).end_s == 5.0
    assert trace().end_s == 0.0


BURSTS = {
    "half of the period comes in a tenth of its time": ([0, 1, 2, 3, 4], [0, 0.1, 0.2, 0.3, 0.4]),
    "the rest is stretched over what is left": ([5, 7.5, 9.5], [0.5, 0.5 + 2.5 * 1.9, 0.5 + 4.5 * 1.9]),
    "every period again": ([10, 12], [10, 10.2]),
}


@pytest.mark.parametrize(("arrived", "moved"), BURSTS.values(), ids=BURSTS)
def test_bursts(arrived, moved):
    made = trace(*(request(number, float(at_s)) for number, at_s in enumerate(arrived)))

    assert times(made.in_bursts(10.0, 10.0, 0.5)) == pytest.approx(moved)


def test_bursts_keep_the_order_and_the_length():
    made = turns(1000, gap_s=0.31).in_bursts(10.0, 60.0, 0.5)

    assert times(made) == sorted(times(made))
    assert made.end_s == pytest.approx(309.69, abs=60)


SESSIONS = {
    "a longer prompt with the same beginning is the next turn": (
        [request("a", 0, 0, 1, 2), request("b", 1, 0, 1, 2, 3)], {"a": ["a", "b"]},
    ),
    "all prompts share the first block": ([request("a", 0, 0, 1), request("b", 1, 0, 2)], {"a": ["a"], "b": ["b"]}),
    "a prompt that stops earlier is no next turn": (
        [request("a", 0, 0, 1, 2), request("b", 1, 0, 1, 9)], {"a": ["a"], "b": ["b"]},
    ),
    "a last block that is not full may differ": (
        [request("a", 0, 0, 1, 2, tokens=250), request("b", 1, 0, 1, 3, 4)], {"a": ["a", "b"]},
    ),
    "turns of turns": (
        [request("a", 0, 0, 1), request("b", 1, 0, 1, 2), request("c", 2, 0, 1, 2, 3)], {"a": ["a", "b", "c"]},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("requests", "found"), SESSIONS.values(), ids=SESSIONS)
def test_sessions(requests, found):
    by_session = sessions(trace(*requests))

    assert {session: [each.id for each in members] for session, members in by_session.items()} == found
