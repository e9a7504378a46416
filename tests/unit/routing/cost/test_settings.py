import pytest

from bayplan.framework.errors import InputError
from bayplan.routing.cost.settings import CostSettings

WRONG = {
    "no guess of the time of a token": {"token_s": 0.0},
    "a negative penalty": {"base_penalty": -1.0},
    "an infinite price": {"queue_price": float("inf")},
    "a number that is none": {"ageing": float("nan")},
    "no room to hold for": {"hold_tokens": 0},
    "a dead band below 1": {"dead_band": 0.9},
    "an empty ring": {"rate_ring": 0},
    "blocks without tokens": {"block_tokens": 0},
}


@pytest.mark.parametrize("fields", WRONG.values(), ids=WRONG)
def test_wrong_constants_are_refused_at_their_place(fields):
    with pytest.raises(InputError) as refused:
        CostSettings(**fields)

    assert refused.value.place == next(iter(fields))


def test_the_constants_are_those_that_were_measured():
    settings = CostSettings()

    assert (settings.base_penalty, settings.queue_price, settings.ageing, settings.overtaking_s) == (2, 1, 0.25, 30)
    assert (settings.hold_tokens, settings.resident_weight, settings.most_weighed) == (2048, 0.02, 256)
    assert (settings.rate_ring, settings.rate_bucket_s, settings.dead_band, settings.running_share) == (32, 1, 1.3, 0.9)
