"""A workload may limit the price of its workers, and refuse spot machines."""

import pytest

from bayplan.placement.filters.cost_limit import CostLimit
from unit.placement.builders import ask, judge, keeps_its_promises, worker

SPOT = worker(usd_per_hour=9.0, spot=True)
STEADY = worker(usd_per_hour=9.0)
FREE = worker(usd_per_hour=0.0)
UNPRICED = worker()

CASES = {
    "no wish": (ask(), SPOT, None),
    "no wish, no price": (ask(), UNPRICED, None),
    "cheaper": (ask(max_usd_per_hour=9.5), STEADY, None),
    "the limit itself": (ask(max_usd_per_hour=9.0), STEADY, None),
    "dearer": (ask(max_usd_per_hour=8.5), STEADY, "cost"),
    "no price": (ask(max_usd_per_hour=8.5), UNPRICED, "cost"),
    "nothing may be spent": (ask(max_usd_per_hour=0.0), FREE, None),
    "spot is refused": (ask(spot=False), SPOT, "spot"),
    "spot is refused, and this is none": (ask(spot=False), STEADY, None),
    "spot is welcome": (ask(spot=True), SPOT, None),
    "spot is welcome, and this is none": (ask(spot=True), STEADY, None),
    "spot and too dear": (ask(spot=False, max_usd_per_hour=8.5), SPOT, "spot"),
    "no spot but too dear": (ask(spot=False, max_usd_per_hour=8.5), STEADY, "cost"),
}


@pytest.mark.parametrize(("asked", "on", "code"), CASES.values(), ids=CASES)
def test_price_and_spot(asked, on, code):
    verdict = judge(CostLimit(), asked, on)

    assert (verdict.code, verdict.curable) == (code, False)


NUMBERS = {
    "dearer": (
        ask(max_usd_per_hour=8.5),
        STEADY,
        (9.0, 8.5, 0.5),
        "costs 9 USD/h, 0.5 above the limit of 8.5",
    ),
    "no price": (
        ask(max_usd_per_hour=8.5),
        UNPRICED,
        (None, 8.5, None),
        "its price is not known, and the limit is 8.5 USD/h",
    ),
    "spot": (ask(spot=False), SPOT, (None, None, None), "is a spot worker, and cost.spot is false"),
    "spot and dear": (
        ask(spot=False, max_usd_per_hour=8.5),
        SPOT,
        (9.0, 8.5, 0.5),
        "is a spot worker, and cost.spot is false; costs 9 USD/h, 0.5 above the limit of 8.5",
    ),
    "spot, and cheap enough": (
        ask(spot=False, max_usd_per_hour=10.0),
        SPOT,
        (None, None, None),
        "is a spot worker, and cost.spot is false",
    ),
}


@pytest.mark.parametrize(("asked", "on", "numbers", "message"), NUMBERS.values(), ids=NUMBERS)
def test_the_reason_has_the_numbers(asked, on, numbers, message):
    verdict = judge(CostLimit(), asked, on)

    assert (verdict.needed, verdict.free, verdict.short) == numbers
    assert verdict.message == message


def test_contract():
    asks, workers, _ = zip(*CASES.values(), strict=True)
    keeps_its_promises(CostLimit(), workers, asks)
    assert CostLimit.required
