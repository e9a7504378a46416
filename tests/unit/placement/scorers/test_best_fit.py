"""Best fit: 1 − (c + g) / 2 of what is left, by hand."""

import pytest

from bayplan.placement.scorers.best_fit import BestFit
from unit.placement.builders import ask, keeps_its_promises
from unit.placement.scorers.explained import score
from unit.placement.scorers.packed import ASKS, WORKERS, held, host, part, percent, wholes

CASES = {
    "half of the CPU and of the cards": (wholes(1, 16), host(4, 64), (), 1 - (48 / 128 + 3 / 8) / 2),
    "nothing left": (wholes(1, 4), host(1, 4), (), 1.0),
    "large workers count as large as can be": (wholes(1), host(16, 500), (), 0.0),
    "CPU that nobody told is boundless": (wholes(1), host(1), (), 0.5),
    "a part of a card by memory": (part(20_480), host(2, 128), (), 1 - (1 + 1.5 / 8) / 2),
    "a part of a card by compute": (percent(25), host(2, 128), (), 1 - (1 + 1.75 / 8) / 2),
    "no cards asked": (ask(cpu_milli=64_000), host(4, 128), (), 1 - (0.5 + 0.5) / 2),
    "what others hold": (wholes(1), host(4, 64), (held(0, 1, cores=32),), 1 - (0.25 + 1 / 8) / 2),
    "the fullest card that suffices": (part(10_240), host(2, 128), (held(1, mib=30_720),), 1 - (1 + 1 / 8) / 2),
    "not foreseen: as it stands": (wholes(1, gpu_ids=["a:cuda:0"]), host(4, 64), (), 0.5),
}


@pytest.mark.parametrize(("asked", "on", "bookings", "wanted"), CASES.values(), ids=CASES)
def test_score(asked, on, bookings, wanted):
    assert score(BestFit(), asked, on, bookings=bookings) == pytest.approx(wanted)


def test_contract():
    keeps_its_promises(BestFit(), WORKERS, ASKS)
