"""Predicted latency that suits the objectives is better."""

import pytest

from bayplan.routing.scorers.latency_scorer import LatencyScorer
from unit.routing.endpoint_tables import endpoints, keeps_its_promises, match, refused_at, request, scores

COLUMN = "prefix_of_approx_prefix_cache_producer"
ASKED = request(slo_ttft_ms=1000.0, slo_tpot_ms=100.0)
LEAST, MOST = LatencyScorer(), LatencyScorer(headroom_selection_strategy="most")


def predicted(ttft_ms, tpot_ms, inflight=0):
    return {"predicted_ttft_ms": ttft_ms, "predicted_tpot_ms": tpot_ms, "inflight_requests": inflight}


def pool(*given, prefix=()):
    return endpoints(*given, **{COLUMN: prefix or [match(0, 1)] * len(given)})


UNKNOWN = predicted(None, None)
CASES = {
    "the tightest fit": (LEAST, [predicted(990, 98), predicted(950, 90)], [1.0, 0.0]),
    "the widest": (MOST, [predicted(900, 90), predicted(800, 80), predicted(700, 70)], [0.0, 0.5, 1.0]),
    "only those that meet both": (LEAST, [predicted(1050, 90), predicted(500, 50)], [0.0, 0.5]),
    "none meets them: the nearest idle one, also with most": (
        MOST, [predicted(1010, 105), predicted(1100, 130), predicted(1001, 101, inflight=1)], [1.0, 0.0, 0.0],
    ),
    "busy: only TPOT is missed": (
        LEAST, [predicted(1005, 101, 2), predicted(1005, 80, 2), predicted(700, 160, 2)], [0.0, 0.0, 0.5],
    ),
    "busy: only TTFT is missed": (LEAST, [predicted(1005, 101, 2), predicted(1005, 80, 2)], [0.0, 0.5]),
    "busy: both are missed": (LEAST, [predicted(1100, 110, 1), predicted(1200, 120, 1)], [1.0, 0.0]),
    "one dimension without a range": (
        LEAST, [predicted(900, 50), predicted(800, 50), predicted(600, 50)], [1.0, 2 / 3, 0.0],
    ),
    "other weights": (
        LatencyScorer(ttft_weight=3, tpot_weight=1),
        [predicted(900, 80), predicted(800, 90), predicted(700, 90)], [0.75, 0.625, 0.25],
    ),
    "without a prediction: the lowest of the others": (
        LEAST, [predicted(990, 98), predicted(950, 90), UNKNOWN], [1.0, 0.0, 0.0],
    ),
    "one prediction": (LEAST, [predicted(700, 60), UNKNOWN], [0.5, 0.5]),
}  # fmt: skip


@pytest.mark.parametrize(("plugin", "given", "wanted"), CASES.values(), ids=CASES)
def test_score(plugin, given, wanted):
    found = scores(plugin, pool(*given), ASKED)

    assert [found[name] for name in sorted(found)] == pytest.approx(wanted)


def test_without_objectives_the_fastest_is_best():
    assert scores(LEAST, pool(predicted(100, 10), predicted(50, 5)), request()) == {"b": 1.0, "a": 0.0}


COMPOSITES = {
    "a third each": (
        LEAST, [{"waiting": 0, "kv_usage": 0.2}, {"waiting": 5, "kv_usage": 0.8}], [match(1, 2), match(0, 2)],
        [(0.8 + 1.0 + 0.5) / 3, 0.2 / 3],
    ),
    "the queue alone": (
        LatencyScorer(composite_KV_weight=0, composite_prefix_weight=0),
        [{"waiting": 2, "kv_usage": 0.4}, {"waiting": 8, "kv_usage": 0.1}], (), [0.75, 0.0],
    ),
    "nothing waits": (LatencyScorer(composite_KV_weight=0, composite_prefix_weight=0), [{"waiting": 0}], (), [1.0]),
    "unknown parts are the lowest": (
        LEAST, [{"waiting": 0, "kv_usage": 0.2}, {"waiting": 4, "kv_usage": 0.6}, {}], (), [0.6, 0.4 / 3, 0.4 / 3],
    ),
    "no weights": (
        LatencyScorer(composite_KV_weight=0, composite_queue_weight=0, composite_prefix_weight=0),
        [{"waiting": 0, "kv_usage": 0.2}], (), [0.0],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("plugin", "given", "prefix", "wanted"), COMPOSITES.values(), ids=COMPOSITES)
def test_no_predictions(plugin, given, prefix, wanted):
    found = scores(plugin, pool(*given, prefix=prefix), ASKED)

    assert [found[name] for name in sorted(found)] == pytest.approx(wanted)


WEIGHTS = ("ttft_weight", "tpot_weight", "composite_KV_weight", "composite_queue_weight", "composite_prefix_weight")


@pytest.mark.parametrize("weight", WEIGHTS)
def test_weights_are_not_negative(weight):
    assert refused_at(LatencyScorer, **{weight: -1.0}) == weight


def test_contract():
    keeps_its_promises(LEAST, pool(predicted(900, 80), predicted(2000, 10, 3), UNKNOWN), [ASKED])
    keeps_its_promises(MOST, pool({"waiting": 3}, {"kv_usage": 0.5}), [ASKED])
