"""Queues and KV caches say how full the pool is."""

import pytest

from bayplan.routing.detectors.utilization_detector import UtilizationDetector
from unit.routing.endpoint_tables import codes, endpoints, keeps_its_promises, kept, refused_at

PLAIN = UtilizationDetector()
OLD = 7.9
CASES = {
    "the larger of both": (PLAIN, [{"waiting": 1, "kv_usage": 0.6}], 0.75),
    "the mean of endpoints": (PLAIN, [{"waiting": 5, "kv_usage": 0}, {"waiting": 0, "kv_usage": 0}], 0.5),
    "more than full": (PLAIN, [{"waiting": 15, "kv_usage": 0}], 3.0),
    "what is not ready does not count": (
        PLAIN, [{"waiting": 5, "kv_usage": 0, "ready": False}, {"waiting": 0, "kv_usage": 0}], 0.0,
    ),
    "unknown is full": (PLAIN, [{"waiting": 0}, {"waiting": 0, "kv_usage": 0}], 0.5),
    "old is full": (PLAIN, [{"waiting": 0, "kv_usage": 0, "metrics_at_s": OLD}], 1.0),
    "an own age": (
        UtilizationDetector(metrics_staleness_threshold="2500ms"),
        [{"waiting": 0, "kv_usage": 0, "metrics_at_s": OLD}], 0.0,
    ),
    "nobody": (PLAIN, [], 1.0),
    "own thresholds": (UtilizationDetector(10, 1.0), [{"waiting": 5, "kv_usage": 0.25}], 0.5),
    "the fullest stage": (
        PLAIN,
        [
            {"waiting": 5, "kv_usage": 0, "role": "prefill"},
            {"waiting": 0, "kv_usage": 0, "role": "encode-prefill"},
            {"waiting": 0, "kv_usage": 0, "role": "decode"},
            {"waiting": 1, "kv_usage": 0, "role": "encode"},
        ],
        0.5,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("detector", "given", "wanted"), CASES.values(), ids=CASES)
def test_saturation(detector, given, wanted):
    assert detector.saturation(endpoints(*given), 10.0) == pytest.approx(wanted)


FILTERED = {
    "below both": (PLAIN, [{"waiting": 4, "kv_usage": 0.7}, {"waiting": 5, "kv_usage": 0}], {"a"}),
    "the KV cache is full": (PLAIN, [{"waiting": 0, "kv_usage": 0.8}, {"waiting": 0, "kv_usage": 0.1}], {"b"}),
    "headroom": (
        UtilizationDetector(headroom=0.2), [{"waiting": 5, "kv_usage": 0.9}, {"waiting": 6, "kv_usage": 0}], {"a"},
    ),
    "old or unknown": (
        PLAIN,
        [{"waiting": 0, "kv_usage": 0, "metrics_at_s": OLD}, {"kv_usage": 0}, {"waiting": 0, "kv_usage": 0}], {"c"},
    ),
    "nobody: all": (PLAIN, [{"waiting": 9, "kv_usage": 0}, {}], {"a", "b"}),
}  # fmt: skip


@pytest.mark.parametrize(("detector", "given", "wanted"), FILTERED.values(), ids=FILTERED)
def test_mask(detector, given, wanted):
    table = endpoints(*given)

    assert kept(detector, table, now=10.0) == wanted
    assert codes(detector, table, now=10.0) == {name: ["utilization"] for name in set(table.keys) - wanted}


RANGES = {
    "no queue": {"queue_depth_threshold": 0},
    "no usage": {"kv_cache_util_threshold": 0.0},
    "negative headroom": {"headroom": -0.1},
    "no duration": {"metrics_staleness_threshold": "a while"},
    "a negative duration": {"metrics_staleness_threshold": "-1s"},
}


@pytest.mark.parametrize("parameters", RANGES.values(), ids=RANGES)
def test_ranges(parameters):
    assert refused_at(UtilizationDetector, **parameters) == next(iter(parameters))


def test_contract():
    keeps_its_promises(PLAIN, endpoints({"waiting": 4, "kv_usage": 0.7}, {"waiting": 5, "kv_usage": 0}, {}))
