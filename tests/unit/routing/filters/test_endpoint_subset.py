"""What the gateway does not allow is never picked."""

import pytest

from bayplan.routing.filters.endpoint_subset import EndpointSubset
from unit.routing.endpoint_tables import codes, endpoints, keeps_its_promises, kept, request

POOL = endpoints({}, {"ip": "10.0.0.1", "address": "10.0.0.1:8001"}, {"ip": "10.0.0.11", "address": "10.0.0.11:8000"})
CASES = {
    "no subset": (None, {"a", "b", "c"}),
    "an address": ({"10.0.0.1:8001"}, {"b"}),
    "an ip is all of its ports": ({"10.0.0.1"}, {"a", "b"}),
    "both": ({"10.0.0.1:8000", "10.0.0.11"}, {"a", "c"}),
    "another port": ({"10.0.0.1:9"}, set()),
    "none": (set(), set()),
}


@pytest.mark.parametrize(("subset", "wanted"), CASES.values(), ids=CASES)
def test_mask(subset, wanted):
    asked = request(subset=None if subset is None else frozenset(subset))

    assert kept(EndpointSubset(), POOL, asked) == wanted
    assert codes(EndpointSubset(), POOL, asked) == {name: ["not-in-subset"] for name in {"a", "b", "c"} - wanted}


def test_it_is_never_left_out():
    assert EndpointSubset.required


def test_contract():
    keeps_its_promises(EndpointSubset(), POOL, [request("s", subset=frozenset({"10.0.0.1"}))])
