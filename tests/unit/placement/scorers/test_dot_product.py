"""Dot product: 1 − (c·c' + g·g') / 2, by hand."""

import pytest

from bayplan.placement.scorers.dot_product import DotProduct
from unit.placement.builders import ask, keeps_its_promises
from unit.placement.scorers.explained import score
from unit.placement.scorers.packed import ASKS, WORKERS, held, host, part, wholes

CASES = {
    "both": (wholes(2, 32), host(4, 64), (), 1 - (0.5 * 0.25 + 0.5 * 0.25) / 2),
    "CPU alone": (ask(cpu_milli=32_000), host(4, 64), (), 1 - 0.5 * 0.25 / 2),
    "cards alone": (wholes(2), host(4, 64), (), 1 - 0.5 * 0.25 / 2),
    "a part of a card": (part(20_480), host(4, 64), (), 1 - 0.5 * 0.0625 / 2),
    "less is free": (wholes(2), host(4, 64), (held(0, 1),), 1 - 0.25 * 0.25 / 2),
    "never more than all": (wholes(9, 300), host(16, 500), (), 0.0),
    "nothing asked": (ask(), host(4, 64), (), 1.0),
    "not foreseen": (wholes(1, gpu_ids=["a:cuda:0"]), host(4, 64), (), 0.0),
}


@pytest.mark.parametrize(("asked", "on", "bookings", "wanted"), CASES.values(), ids=CASES)
def test_score(asked, on, bookings, wanted):
    assert score(DotProduct(), asked, on, bookings=bookings) == pytest.approx(wanted)


def test_contract():
    keeps_its_promises(DotProduct(), WORKERS, ASKS)
