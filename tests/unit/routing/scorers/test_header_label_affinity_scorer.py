"""A label that equals a header is better."""

import pytest

from bayplan.routing.scorers.header_label_affinity_scorer import HeaderLabelAffinityScorer
from unit.routing.endpoint_tables import endpoints, keeps_its_promises, refused_at, request, scores

PLUGIN = HeaderLabelAffinityScorer("X-Slice", "slice")
CASES = {
    "equal": ({"x-slice": "s1"}, {"slice": "s1"}, 1.0),
    "another": ({"x-slice": "s1"}, {"slice": "s2"}, 0.0),
    "no label": ({"x-slice": "s1"}, {}, 0.0),
    "no header": ({}, {"slice": "s1"}, 0.0),
    "neither": ({}, {}, 0.0),
}


@pytest.mark.parametrize(("headers", "labels", "wanted"), CASES.values(), ids=CASES)
def test_score(headers, labels, wanted):
    assert scores(PLUGIN, endpoints({"labels": labels}), request(headers=headers)) == {"a": wanted}


def test_both_are_needed():
    assert refused_at(HeaderLabelAffinityScorer, header_name="", label_key="x") == "header_name"
    assert refused_at(HeaderLabelAffinityScorer, header_name="x", label_key="") == "label_key"


def test_contract():
    table = endpoints(*({"labels": labels} for _, labels, _ in CASES.values()))

    keeps_its_promises(PLUGIN, table, [request("r", headers={"x-slice": "s1"})])
