import pytest

from bayplan.routing.cost.rate import LEAST_RATE, Rate, agree
from bayplan.routing.cost.settings import CostSettings

SETTINGS = CostSettings(rate_ring=3)


def observed(*pairs, bucket_s=1.0):
    """A rate after first tokens, each given by its predicted seconds and when it came; all were sent at time 0."""
    rate = Rate(SETTINGS)
    for own_s, now in pairs:
        rate.observe(own_s, 0.0, now, bucket_s)
    return rate


RAW = {
    "nothing came yet": ([], None),
    "too little was computed for an observation": ([(0.9, 5.0)], None),
    "a second of prediction that took two": ([(1.0, 2.0)], 2.0),
    "small prompts are added up": ([(0.5, 1.0), (0.5, 1.5)], 1.5),
    "the time counts from the first token before": ([(1.0, 2.0), (1.0, 3.0)], 1.5),
    "the median of three leaves out the odd one": ([(1.0, 1.0), (1.0, 9.0), (1.0, 10.0)], 1.0),
    "only the newest three are remembered": ([(1.0, 8.0), (1.0, 9.0), (1.0, 10.0), (1.0, 11.0)], 1.0),
    "no time at all": ([(1.0, 0.0)], LEAST_RATE),
}


@pytest.mark.parametrize(("pairs", "raw"), RAW.values(), ids=RAW)
def test_the_raw_rate_is_the_median_of_what_was_observed(pairs, raw):
    assert observed(*pairs).raw == raw


def test_time_before_a_request_was_sent_does_not_count():
    rate = Rate(SETTINGS)

    rate.observe(1.0, 100.0, 101.5, 1.0)

    assert rate.raw == 1.5


def test_the_bucket_is_of_seconds_that_really_pass():
    rate = Rate(SETTINGS)
    rate.used = 4.0

    assert rate.observe(0.25, 0.0, 1.0, 1.0)


AGREED = {
    "none is known": ([None, None], [1.0, 1.0]),
    "equal engines with noise are equal": ([1.0, 1.1, 0.95], [1.0, 1.0, 1.0]),
    "a slow one stands out": ([1.0, 1.0, 2.0], [1.0, 1.0, 2.0]),
    "one that is not known counts as usual": ([2.0, None, 2.0], [2.0, 2.0, 2.0]),
    "the band is open": ([1.0, 1.0, 1.3], [1.0, 1.0, 1.3]),
    "two kinds of engines": ([1.0, 1.0, 3.0, 3.0], [1.0, 1.0, 3.0, 3.0]),
}


@pytest.mark.parametrize(("raw", "used"), AGREED.values(), ids=AGREED)
def test_rates_near_the_median_are_the_median(raw, used):
    rates = [Rate(SETTINGS) for _ in raw]
    for rate, value in zip(rates, raw, strict=True):
        rate.raw = value

    agree(rates, 1.3)

    assert [rate.used for rate in rates] == used
