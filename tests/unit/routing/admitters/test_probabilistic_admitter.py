"""Sheddable requests are refused more often the fuller the pool is."""

import pytest

from bayplan.routing.admitters.probabilistic_admitter import ProbabilisticAdmitter
from unit.routing.endpoint_tables import cycle, endpoints, refused_at, request

SHEDDABLE = request(priority=-1)
FULL, HALF, IDLE = ({"waiting": waiting, "kv_usage": 0.0} for waiting in (5, 2.5, 0))
LINEAR = ProbabilisticAdmitter(power=1, k=1)
CASES = {
    "not sheddable": (LINEAR, request(), [FULL], 0.0),
    "idle": (LINEAR, SHEDDABLE, [IDLE], 0.0),
    "full": (LINEAR, SHEDDABLE, [FULL], 1.0),
    "in between": (LINEAR, SHEDDABLE, [HALF], 0.5),
    "the mean of the candidates": (LINEAR, SHEDDABLE, [FULL, IDLE], 0.5),
    "stages are not told apart": (LINEAR, SHEDDABLE, [FULL | {"role": "prefill"}, IDLE], 0.5),
    "old metrics are full": (LINEAR, SHEDDABLE, [IDLE | {"metrics_at_s": 7.0}], 1.0),
    "unknown is full": (LINEAR, SHEDDABLE, [{}], 1.0),
    "by default it is steep": (ProbabilisticAdmitter(), SHEDDABLE, [HALF], 1.0),
    "own thresholds": (ProbabilisticAdmitter(10, 1.0, 1, 1), SHEDDABLE, [FULL], 0.5),
}  # fmt: skip


@pytest.mark.parametrize(("admitter", "asked", "given", "wanted"), CASES.values(), ids=CASES)
def test_share_of_denials(admitter, asked, given, wanted):
    table = endpoints(*given)
    denials = [
        admitter.denies(asked, table, range(len(given)), cycle(asked, now=10.0, seed=seed)) for seed in range(300)
    ]

    assert sum(denial is not None for denial in denials) / 300 == pytest.approx(wanted, abs=0.1 if wanted == 0.5 else 0)
    assert all("saturation" in denial for denial in denials if denial)


def test_only_the_candidates_count():
    assert LINEAR.denies(SHEDDABLE, endpoints(FULL, IDLE), [1], cycle(now=10.0)) is None


RANGES = {
    "no queue": {"queue_depth_threshold": 0},
    "no usage": {"kv_cache_util_threshold": 0},
    "negative power": {"power": -1},
    "negative k": {"k": -1},
}


@pytest.mark.parametrize("parameters", RANGES.values(), ids=RANGES)
def test_ranges(parameters):
    assert refused_at(ProbabilisticAdmitter, **parameters) == next(iter(parameters))


def test_a_saturation_beyond_numbers():
    table = endpoints({"waiting": 1e200, "kv_usage": 0.0})

    assert ProbabilisticAdmitter().denies(SHEDDABLE, table, [0], cycle(now=10.0))
    assert ProbabilisticAdmitter(k=0).denies(SHEDDABLE, table, [0], cycle(now=10.0)) is None
