"""Workloads that take cards in the same way stand together."""

import pytest

from bayplan.placement.scorers.gpu_clustering import GpuClustering
from unit.placement.builders import ask, keeps_its_promises
from unit.placement.scorers.explained import score
from unit.placement.scorers.packed import ASKS, WORKERS, held, host, part, wholes

WHOLE, SHARED = held(0), held(1, mib=20_480)
ONE, PART = wholes(1), part(10_240)
CASES = {
    "whole beside whole": (ONE, (WHOLE,), 3, 3.0),
    "whole among others": (ONE, (WHOLE, SHARED), 2, 2.5),
    "whole beside nobody": (ONE, (), 1, 4.0),
    "whole beside shares alone": (ONE, (SHARED,), 0, 3.5),
    "a share beside shares": (PART, (SHARED,), 3, 3.5),
    "a share among others": (PART, (WHOLE, SHARED), 2, 2.5),
    "a share beside nobody": (PART, (), 1, 4.0),
    "a share beside whole cards alone": (PART, (WHOLE,), 0, 3.0),
}


@pytest.mark.parametrize(("asked", "bookings", "band", "free"), CASES.values(), ids=CASES)
def test_score(asked, bookings, band, free):
    assert score(GpuClustering(), asked, host(4), bookings=bookings) == pytest.approx((band + 1 - free / 8) / 4)


def test_without_cards_nobody_is_preferred():
    assert score(GpuClustering(), ask(cpu_milli=1000), host(4, 8), bookings=(WHOLE,)) == 0.0


def test_contract():
    keeps_its_promises(GpuClustering(), WORKERS, ASKS)
