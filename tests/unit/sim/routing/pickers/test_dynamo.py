from bayplan.sim.routing.pickers.dynamo import Dynamo
from unit.sim.routing.traces import request

LONG = (1, 2, 3, 4, 5)


def dynamo(engines):
    return Dynamo(engines, 50, 100)


def test_blocks_that_active_requests_share_count_once():
    picker = dynamo(1)
    for id_ in "ab":
        picker.arrive(request(id_, 0.0, *LONG), 0.0)
        picker.first_token(id_, 1.0)

    assert picker.costs(request("c", 2.0, *LONG), [0], 2.0) == [5.0]
    for id_ in "ab":
        picker.complete(id_, 3.0)
    assert picker.costs(request("c", 4.0, 77), [0], 4.0) == [2.0]


def test_uncached_blocks_count_until_the_first_token():
    picker = dynamo(1)
    picker.arrive(request("a", 0.0, *LONG), 0.0)

    assert picker.costs(request("b", 0.0, 9), [0], 0.0) == [5.0 + 1.0 + 5.0 + 1.0]
    picker.first_token("a", 1.0)
    assert picker.costs(request("b", 1.0, 9), [0], 1.0) == [1.0 + 5.0 + 1.0]
