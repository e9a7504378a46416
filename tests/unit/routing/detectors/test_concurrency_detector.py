"""What is in flight says how full the pool is."""

import pytest

from bayplan.routing.detectors.concurrency_detector import ConcurrencyDetector
from unit.routing.endpoint_tables import codes, endpoints, keeps_its_promises, kept, refused_at


def load(requests, tokens=0, **more):
    return {"inflight_requests": requests, "inflight_tokens": tokens, **more}


REQUESTS = ConcurrencyDetector(10, 100)
TOKENS = ConcurrencyDetector(10, 100, "tokens")
HYBRID = ConcurrencyDetector(10, 100, "hybrid")
CASES = {
    "requests": (REQUESTS, [load(5), load(0)], 0.25),
    "tokens": (TOKENS, [load(5, 100), load(0, 50)], 0.75),
    "of each endpoint the larger share": (HYBRID, [load(5, 10), load(0, 100)], 0.75),
    "more than full": (REQUESTS, [load(30)], 3.0),
    "what is not ready does not count": (REQUESTS, [load(10, ready=False), load(0)], 0.0),
    "nobody": (REQUESTS, [load(3, ready=False)], 1.0),
    "the fullest stage": (REQUESTS, [load(8, role="prefill"), load(1, role="decode"), load(2, role="encode")], 0.8),
}  # fmt: skip


@pytest.mark.parametrize(("detector", "given", "wanted"), CASES.values(), ids=CASES)
def test_saturation(detector, given, wanted):
    assert detector.saturation(endpoints(*given), 0.0) == pytest.approx(wanted)


GIVEN = [load(9, 99), load(10, 0), load(0, 100), load(14, 140)]
FILTERED = {
    "requests": (REQUESTS, {"a", "c"}),
    "tokens": (TOKENS, {"a", "b"}),
    "both": (HYBRID, {"a"}),
    "headroom": (ConcurrencyDetector(10, 100, "hybrid", 0.5), {"a", "b", "c", "d"}),
    "nobody": (ConcurrencyDetector(1, 1, "hybrid"), set()),
}


@pytest.mark.parametrize(("detector", "wanted"), FILTERED.values(), ids=FILTERED)
def test_mask(detector, wanted):
    table = endpoints(*GIVEN)

    assert kept(detector, table) == wanted
    assert codes(detector, table) == {name: ["concurrency"] for name in set(table.keys) - wanted}


RANGES = {
    "no requests": {"max_concurrency": 0},
    "no tokens": {"max_token_concurrency": -1},
    "negative headroom": {"headroom": -1},
}


@pytest.mark.parametrize("parameters", RANGES.values(), ids=RANGES)
def test_ranges(parameters):
    assert refused_at(ConcurrencyDetector, **parameters) == next(iter(parameters))


@pytest.mark.parametrize("detector", [REQUESTS, TOKENS, HYBRID])
def test_contract(detector):
    keeps_its_promises(detector, endpoints(*GIVEN))
