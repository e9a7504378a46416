"""Cards in use, then idle cards of workers in use, then idle workers."""

import pytest

from bayplan.placement.scorers.gpu_packing import GpuPacking
from unit.placement.builders import ask, keeps_its_promises
from unit.placement.scorers.explained import score
from unit.placement.scorers.packed import ASKS, WORKERS, held, host, part, wholes

CASES = {
    "a card that others use": (part(10_240), host(4), (held(0, mib=20_480),), 1 - 0.05),
    "the fullest of them": (part(10_240), host(4), (held(0, mib=20_480), held(1, mib=30_720)), 1 - 0.025),
    "one in use and one idle": (part(10_240, 2), host(4), (held(0, mib=20_480),), 0.5 - 0.01),
    "an idle card of a worker in use": (wholes(1), host(4), (held(0),), 0.5 - 0.01),
    "three of them": (wholes(3), host(4), (held(0),), 0.5 - 0.03),
    "at least a third": (wholes(20), host(21), (held(0),), 1 / 3),
    "an idle worker": (wholes(1), host(4), (), 1 / 3 - 0.04),
    "a large idle worker": (wholes(1), host(8), (), 1 / 3 - 0.08),
    "no cards asked": (ask(cpu_milli=1000), host(4), (), 0.0),
    "not foreseen": (wholes(1, gpu_ids=["a:cuda:0"]), host(4), (), 0.0),
}


@pytest.mark.parametrize(("asked", "on", "bookings", "wanted"), CASES.values(), ids=CASES)
def test_score(asked, on, bookings, wanted):
    assert score(GpuPacking(), asked, on, bookings=bookings) == pytest.approx(wanted)


def test_contract():
    keeps_its_promises(GpuPacking(), WORKERS, ASKS)
