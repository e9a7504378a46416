"""More, or less, of an attribute is better."""

import pytest

from bayplan.routing.scorers.endpoint_attribute_scorer import (
    AdaptiveRange,
    EndpointAttributeScorer,
    FixedRange,
    LinearAlgorithm,
    Normalization,
)
from unit.routing.endpoint_tables import endpoints, keeps_its_promises, refused_at, scores

LOWER, HIGHER = "linear_lower_is_better", "linear_higher_is_better"


def scorer(kind=LOWER, fixed=None):
    algorithm = LinearAlgorithm(kind, Normalization(fixed and FixedRange(*fixed)))
    return EndpointAttributeScorer("x", algorithm=algorithm)


def pool(*values):
    return endpoints(*({"attributes": {} if value is None else {"x": value}} for value in values))


CASES = {
    "lower, the range of the candidates": (scorer(), [2, 6, 3], [1.0, 0.0, 0.75]),
    "higher, the range of the candidates": (scorer(HIGHER), [2, 6, 3], [0.0, 1.0, 0.25]),
    "all equal": (scorer(HIGHER), [5, 5], [1.0, 1.0]),
    "a fixed range": (scorer(HIGHER, (0, 10)), [2, 6], [0.2, 0.6]),
    "lower in a fixed range": (scorer(LOWER, (0, 10)), [2, 6], [0.8, 0.4]),
    "outside of it": (scorer(HIGHER, (0, 10)), [-2, 60], [0.0, 1.0]),
    "missing": (scorer(LOWER), [None, 1, 3], [0.0, 1.0, 0.0]),
    "all missing": (scorer(LOWER), [None, None], [0.0, 0.0]),
}  # fmt: skip


@pytest.mark.parametrize(("plugin", "values", "wanted"), CASES.values(), ids=CASES)
def test_score(plugin, values, wanted):
    found = scores(plugin, pool(*values))

    assert [found[name] for name in sorted(found)] == pytest.approx(wanted)


def test_the_other_name_of_the_attribute():
    assert scores(EndpointAttributeScorer(attribute="x"), pool(1, 2)) == {"a": 1.0, "b": 0.0}


def test_what_is_refused():
    assert refused_at(EndpointAttributeScorer) == "attribute_key"
    assert refused_at(Normalization, fixed_range=FixedRange(2, 1)) == "fixed_range"
    assert refused_at(Normalization, fixed_range=FixedRange(1, 1)) == "fixed_range"
    assert refused_at(Normalization, fixed_range=FixedRange(0, 1), adaptive_range=AdaptiveRange()) == "fixed_range"


def test_contract():
    keeps_its_promises(scorer(), pool(1, 2, None, 5))
