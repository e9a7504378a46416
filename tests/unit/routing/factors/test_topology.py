"""How near endpoints are."""

from bayplan.routing.factors.topology import TIGHTNESS, decode_labels, nearest_level
from unit.routing.endpoint_tables import cycle
from unit.routing.factors.places import HOST, RACK, decoded_on, place


def test_the_tightest_level_that_is_shared():
    here = place("h1", "r1", "z1", "g1")

    assert nearest_level(here, here) == "host"
    assert nearest_level(here, place("h2", "r1", "z1", "g1")) == "rack"
    assert nearest_level({HOST: "h1"}, {RACK: "r1"}) is None
    assert nearest_level({HOST: ""}, {HOST: ""}) is None


def test_the_pick_of_the_first_run():
    assert decode_labels(decoded_on({HOST: "h1"})) == {HOST: "h1"}
    assert decode_labels(decoded_on(None)) is None
    assert decode_labels(cycle()) is None


def test_tightness():
    assert sorted(TIGHTNESS, key=TIGHTNESS.get) == [None, "region", "zone", "rack", "host"]
