from bayplan.routing.documents.route_list import route_list_document
from bayplan.routing.gates.gate import BandState


def test_every_field_of_the_contract():
    found = route_list_document([], ["r"], ["s"], {"a": (1, 2.5)}, [BandState(3, 1.0, 0)], 0.5, ["w"])

    assert found == {
        "kind": "RouteList",
        "items": [],
        "dispatched": ["r"],
        "waiting": ["s"],
        "inflight": {"a": {"requests": 1, "tokens": 2.5}},
        "bands": [{"priority": 3, "ceiling": 1.0, "waiting": 0}],
        "saturation": 0.5,
        "warnings": ["w"],
    }


def test_nothing_that_waits_and_no_flow_control():
    found = route_list_document([{"request": "r"}], [], [], {}, [], 0.0, [])

    assert found["items"] == [{"request": "r"}]
    assert (found["waiting"], found["inflight"], found["bands"], found["warnings"]) == ([], {}, [], [])
