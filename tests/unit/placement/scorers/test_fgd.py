"""Fragments that a workload takes away or leaves behind, in steps of a hundredth."""

from math import exp, floor

import pytest

from bayplan.placement.scorers.best_fit import BestFit
from bayplan.placement.scorers.fgd import Fgd
from unit.placement.builders import keeps_its_promises
from unit.placement.scorers.explained import score, terms
from unit.placement.scorers.packed import ASKS, WORKERS, held, host, part, wholes

HALF = part(20_480)
HALF_HELD = (held(0, mib=20_480),)

CASES = {
    "a fragment is used up": (HALF, {wholes(1): 1.0}, host(1), HALF_HELD, 0.5, 0.0),
    "a whole card becomes one": (HALF, {wholes(1): 1.0}, host(1), (), -0.5, 0.5),
    "halves are of use to halves": (HALF, {HALF: 1.0}, host(1), (), 0.0, 0.5),
    "a mean over the mix": (HALF, {HALF: 1.0, wholes(1): 1.0}, host(1), (), -0.25, 0.5),
    "rare ones do not count": (HALF, {HALF: 96.0, wholes(1): 4.0}, host(1), (), 0.0, 0.5),
    "too few whole cards": (wholes(1), {wholes(2): 1.0}, host(2), (), -1.0, 1.0),
    "of no use before and after": (wholes(1), {wholes(4): 1.0}, host(2), (), 1.0, 1.0),
}


@pytest.mark.parametrize(("asked", "mix", "on", "bookings", "won", "left"), CASES.values(), ids=CASES)
def test_score(asked, mix, on, bookings, won, left):
    """`won` cards of fragments; of equals the best fit of the `left` cards."""
    tightness = 1 - (1 + left / 8) / 2
    wanted = (floor(100 / (1 + exp(-won))) + tightness) / 101

    assert terms(Fgd(), asked, on, bookings=bookings, mix=mix)["a"].score == pytest.approx(wanted)


def test_the_worker_that_loses_least():
    found = terms(Fgd(), HALF, host(1), host(1, name="b"), bookings=HALF_HELD, mix={wholes(1): 1.0})

    assert found["a"].score > found["b"].score
    assert found["a"].note == ""


@pytest.mark.parametrize("asked", [HALF, wholes(1, 4), wholes(1, gpu_ids=["a:cuda:1"])])
def test_best_fit_until_the_mix_is_known(asked):
    on = host(4, 64)

    assert score(Fgd(), asked, on, bookings=HALF_HELD) == score(BestFit(), asked, on, bookings=HALF_HELD)
    assert terms(Fgd(), asked, on)["a"].note == "the mix of workloads is not known: best fit"


def test_contract():
    keeps_its_promises(Fgd(), WORKERS, ASKS)
