"""Endpoints that are not ready are never picked."""

from bayplan.routing.filters.endpoint_ready import EndpointReady
from unit.routing.endpoint_tables import codes, endpoints, keeps_its_promises, kept

POOL = endpoints({}, {"ready": False}, {})


def test_ready_ones_are_kept():
    assert kept(EndpointReady(), POOL) == {"a", "c"}
    assert codes(EndpointReady(), POOL) == {"b": ["not-ready"]}


def test_it_is_never_left_out():
    assert EndpointReady.required


def test_contract():
    keeps_its_promises(EndpointReady(), POOL)
