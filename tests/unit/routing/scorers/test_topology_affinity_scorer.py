"""Endpoints near the one that decodes are better."""

from types import SimpleNamespace

import pytest

from bayplan.routing.scorers.topology_affinity_scorer import TopologyAffinityScorer
from unit.routing.endpoint_tables import cycle, endpoints, keeps_its_promises, scores
from unit.routing.factors.places import HOST, RACK, REGION, ZONE, decoded_on, place

HERE = place("h1", "r1", "z1", "g1")
CASES = {
    "the same host": (HERE, 1.0),
    "another host of the rack": (place("h2", "r1", "z1", "g1"), 0.2),
    "another rack of the zone": (place("h2", "r2", "z1", "g1"), 0.05),
    "another zone of the region": (place("h2", "r2", "z2", "g1"), 0.02),
    "another region": (place("h2", "r2", "z2", "g2"), 0.0),
    "nothing known": ({}, 0.0),
    "only the zone is known": ({ZONE: "z1"}, 0.05),
}


@pytest.mark.parametrize(("labels", "wanted"), CASES.values(), ids=CASES)
def test_score(labels, wanted):
    (score,) = TopologyAffinityScorer().score(None, SimpleNamespace(size=1, labels=[labels]), decoded_on(HERE))

    assert score == wanted


def test_without_a_pick_before_it_scores_nothing():
    assert scores(TopologyAffinityScorer(), endpoints({"labels": HERE})) == {"a": 0.0}
    assert TopologyAffinityScorer().score(None, SimpleNamespace(size=1, labels=[HERE]), cycle()) == [0.0]


def test_labels_are_those_of_kubernetes():
    assert (HOST, RACK) == ("kubernetes.io/hostname", "topology.kubernetes.io/rack")
    assert (ZONE, REGION) == ("topology.kubernetes.io/zone", "topology.kubernetes.io/region")


def test_contract():
    keeps_its_promises(TopologyAffinityScorer(), endpoints(*({"labels": labels} for labels, _ in CASES.values())))
