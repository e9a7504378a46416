from bayplan.sim.routing.pickers.round_robin import RoundRobin
from unit.sim.routing.traces import request


def engines(picker, *ids):
    return [picker.arrive(request(id_, 0.0, 1), 0.0)[0][1] for id_ in ids]


def test_every_engine_in_turn():
    assert engines(RoundRobin(3), *"abcde") == [0, 1, 2, 0, 1]


def test_an_engine_that_is_gone_is_passed_over():
    picker = RoundRobin(3)
    picker.lose(1, (), 0.0)

    assert engines(picker, *"abc") == [0, 2, 0]
