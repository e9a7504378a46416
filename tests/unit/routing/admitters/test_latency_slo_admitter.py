"""Sheddable requests are refused where no endpoint can meet their objectives."""

import pytest

from bayplan.routing.admitters.latency_slo_admitter import LatencySloAdmitter
from unit.routing.endpoint_tables import cycle, endpoints, request

ASKED = request(priority=-1, slo_ttft_ms=1000.0, slo_tpot_ms=100.0)
BUSY = {"running": 3, "kv_usage": 0.5}
LATE = BUSY | {"predicted_ttft_ms": 2000, "predicted_tpot_ms": 50}
GOOD = BUSY | {"predicted_ttft_ms": 900, "predicted_tpot_ms": 50}
CASES = {
    "none can": (ASKED, [LATE, LATE], True),
    "one is predicted to": (ASKED, [LATE, GOOD], False),
    "one runs nothing": (ASKED, [LATE, LATE | {"running": 0}], False),
    "one has an empty cache": (ASKED, [LATE, LATE | {"kv_usage": 0.01}], False),
    "a cache that is nearly empty is not enough": (ASKED, [LATE, LATE | {"kv_usage": 0.02}], True),
    "without a prediction it is not known to": (ASKED, [LATE, BUSY], True),
    "nothing is known of it": (ASKED, [LATE, {}], True),
    "nothing is predicted": (ASKED, [BUSY, BUSY], False),
    "not sheddable": (request(slo_ttft_ms=1.0, slo_tpot_ms=1.0), [LATE], False),
    "only one objective": (request(priority=-1, slo_ttft_ms=1.0), [LATE], False),
}  # fmt: skip


@pytest.mark.parametrize(("asked", "given", "denied"), CASES.values(), ids=CASES)
def test_denial(asked, given, denied):
    denial = LatencySloAdmitter().denies(asked, endpoints(*given), range(len(given)), cycle(asked))

    assert (denial is not None) == denied


def test_only_the_candidates_count():
    assert LatencySloAdmitter().denies(ASKED, endpoints(LATE, GOOD), [0], cycle(ASKED))
