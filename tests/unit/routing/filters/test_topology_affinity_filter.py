"""Stages stay near each other."""

from types import SimpleNamespace

import pytest

from bayplan.routing.filters.topology_affinity_filter import TopologyAffinityFilter
from unit.routing.endpoint_tables import cycle, endpoints, keeps_its_promises, kept
from unit.routing.factors.places import decoded_on, place

HERE = place("h1", "r1", "z1", "g1")
NEAR = [HERE, place("h2", "r1", "z1", "g1"), place("h3", "r2", "z1", "g1"), place("h4", "r3", "z2", "g1"), {}]
CASES = {
    "the host": ("host", NEAR, HERE, [True, False, False, False, False]),
    "the rack": ("rack", NEAR, HERE, [True, True, False, False, False]),
    "the zone": ("zone", NEAR, HERE, [True, True, True, False, False]),
    "the region": ("region", NEAR, HERE, [True, True, True, True, False]),
    "nobody is near": ("host", NEAR[2:], HERE, [True, True, True]),
    "the pick's place is unknown": ("host", NEAR, {}, [True] * 5),
    "the stage picked none": ("host", NEAR, None, [True] * 5),
}  # fmt: skip


@pytest.mark.parametrize(("level", "labels", "decoded", "wanted"), CASES.values(), ids=CASES)
def test_mask(level, labels, decoded, wanted):
    rows = SimpleNamespace(size=len(labels), labels=labels)

    assert TopologyAffinityFilter(level).mask(None, rows, decoded_on(decoded)) == wanted


def test_code():
    reasons = TopologyAffinityFilter().explain(None, SimpleNamespace(labels=[{}]), decoded_on(HERE))

    assert reasons.at(0, "f").code == "topology"
    assert reasons.at(0, "f").message == "is not in the same host as the endpoint that decodes"


def test_without_a_stage_before_all_stay():
    assert kept(TopologyAffinityFilter(), endpoints({"labels": HERE}, {})) == {"a", "b"}
    assert TopologyAffinityFilter().mask(None, SimpleNamespace(size=1, labels=[{}]), cycle()) == [True]


def test_contract():
    keeps_its_promises(TopologyAffinityFilter(), endpoints(*({"labels": labels} for labels in NEAR)))
