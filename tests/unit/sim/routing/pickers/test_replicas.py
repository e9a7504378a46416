from bayplan.sim.routing.pickers.replicas import Replicas
from bayplan.sim.routing.pickers.round_robin import RoundRobin
from unit.sim.routing.traces import request


def test_requests_go_to_routers_in_turn_and_stay_theirs():
    routers = [RoundRobin(2), RoundRobin(2)]
    picker = Replicas(routers)

    sends = [picker.arrive(request(number, 0.0), 0.0)[0] for number in range(4)]

    assert [engine for _, engine in sends] == [0, 0, 1, 1]
    assert [len(each._sent) for each in routers] == [2, 2]
    assert picker.first_token("1", 1.0) == []
    assert picker.complete("1", 1.0) == []
    assert [len(each._sent) for each in routers] == [2, 1]
    assert picker.name == "rr x 2"


def test_each_router_sends_its_own_requests_of_a_lost_engine_again():
    picker = Replicas([RoundRobin(2), RoundRobin(2)])
    requests = [request(number, 0.0) for number in range(2)]
    for each in requests:
        picker.arrive(each, 0.0)

    assert list(picker.lose(0, requests, 1.0)) == [("0", 1), ("1", 1)]
    assert picker.regain(0, 2.0) == []
    assert picker.tick(2.0) == []
