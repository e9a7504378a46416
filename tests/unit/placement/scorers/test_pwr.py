"""100 / (100 + w): the watts that a worker would draw more, by hand."""

import pytest

from bayplan.placement.scorers.pwr import Pwr
from unit.placement.builders import ask, gpu, keeps_its_promises
from unit.placement.scorers.explained import score
from unit.placement.scorers.packed import ASKS, WORKERS, held, host, part, wholes


def of(model, count=2):
    return [gpu(number, model=model) for number in range(count)]


CASES = {
    "an A100 and a package": (wholes(1, 1), host(2, 64), (), 350 + 165),
    "two cards": (wholes(2), host(2, 64), (), 700),
    "a T4": (wholes(1), host(of("Tesla T4")), (), 60),
    "a model that is not in the table": (wholes(1), host(of("Unheard")), (), 270),
    "a model that nobody told": (wholes(1), host(of(None)), (), 270),
    "a card that others use": (part(10_240), host(2, 64), (held(0, mib=20_480),), 0),
    "two packages": (ask(cpu_milli=33_000), host(0, 64), (), 330),
    "what a package in use has left": (ask(cpu_milli=16_000), host(0, 64), (held(cores=16),), 0),
    "a little more than that": (ask(cpu_milli=17_000), host(0, 64), (held(cores=16),), 165),
    "CPU that nobody told": (ask(cpu_milli=33_000), host(), (), 0),
}


@pytest.mark.parametrize(("asked", "on", "bookings", "watts"), CASES.values(), ids=CASES)
def test_score(asked, on, bookings, watts):
    assert score(Pwr(), asked, on, bookings=bookings) == pytest.approx(100 / (100 + watts))


def test_what_packing_does_not_foresee_scores_nothing():
    assert score(Pwr(), wholes(1, gpu_ids=["a:cuda:0"]), host(2, 64)) == 0.0


def test_contract():
    keeps_its_promises(Pwr(), WORKERS, ASKS)
