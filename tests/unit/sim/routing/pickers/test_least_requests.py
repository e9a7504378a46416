from bayplan.sim.routing.pickers.least_requests import LeastRequests
from unit.sim.routing.traces import request


def test_requests_count_until_their_end():
    picker = LeastRequests(2)
    ((_, first),) = picker.arrive(request("a", 0.0, 1, 2, 3), 0.0)
    picker.first_token("a", 1.0)

    assert picker.costs(request("b", 1.0, 1), [first, 1 - first], 1.0) == [1.0, 0.0]
    picker.complete("a", 2.0)
    assert picker.costs(request("b", 2.0, 1), [first, 1 - first], 2.0) == [0.0, 0.0]
