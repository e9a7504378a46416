"""Attributes have thresholds."""

import pytest

from bayplan.routing.filters.endpoint_attribute_filter import EndpointAttributeFilter, Threshold, ThresholdAlgorithm
from unit.routing.endpoint_tables import codes, endpoints, keeps_its_promises, kept, refused_at

POOL = endpoints({"attributes": {"x": 1}}, {"attributes": {"x": 2}}, {"attributes": {"x": 3}}, {"attributes": {}})


def by(operator, value, **more):
    return EndpointAttributeFilter(ThresholdAlgorithm(Threshold(operator, value)), "x", **more)


CASES = {
    "LessThan": (by("LessThan", 2), {"a", "d"}),
    "LessThanOrEqual": (by("LessThanOrEqual", 2), {"a", "b", "d"}),
    "GreaterThan": (by("GreaterThan", 2), {"c", "d"}),
    "GreaterThanOrEqual": (by("GreaterThanOrEqual", 2), {"b", "c", "d"}),
    "Equal": (by("Equal", 2), {"b", "d"}),
    "NotEqual": (by("NotEqual", 2), {"a", "c", "d"}),
    "missing fails": (by("LessThan", 2, on_missing="Fail"), {"a"}),
    "nobody": (by("LessThan", 0, on_missing="Fail"), set()),
    "nobody, then all": (by("LessThan", 0, on_missing="Fail", fallback_on_empty=True), {"a", "b", "c", "d"}),
    "somebody, then no fallback": (by("LessThan", 2, on_missing="Fail", fallback_on_empty=True), {"a"}),
}  # fmt: skip


@pytest.mark.parametrize(("plugin", "wanted"), CASES.values(), ids=CASES)
def test_mask(plugin, wanted):
    assert kept(plugin, POOL) == wanted
    assert codes(plugin, POOL) == {name: ["attribute"] for name in set(POOL.keys) - wanted}


def test_the_other_name_of_the_attribute():
    algorithm = ThresholdAlgorithm(Threshold("Equal", 1))

    assert kept(EndpointAttributeFilter(algorithm, attribute_key="x", on_missing="Fail"), POOL) == {"a"}
    assert refused_at(EndpointAttributeFilter, algorithm=algorithm) == "attribute"


def test_contract():
    keeps_its_promises(by("LessThan", 2, on_missing="Fail"), POOL)
