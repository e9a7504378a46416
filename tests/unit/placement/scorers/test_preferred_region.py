"""A wish for regions."""

import pytest

from bayplan.placement.scorers.preferred_region import PreferredRegion
from unit.placement.builders import ask, keeps_its_promises, worker
from unit.placement.scorers.explained import score

CASES = {
    "no wish": ((), "r1", 0.0),
    "the region": (("r1",), "r1", 1.0),
    "one of them": (("r2", "r1"), "r1", 1.0),
    "another": (("r2",), "r1", 0.0),
    "a region that nobody declared": (("r1",), None, 0.0),
}


@pytest.mark.parametrize(("wishes", "region", "wanted"), CASES.values(), ids=CASES)
def test_score(wishes, region, wanted):
    assert score(PreferredRegion(), ask(preferred_regions=wishes), worker(region=region)) == wanted


def test_contract():
    asks = [ask(preferred_regions=wishes) for wishes, *_ in CASES.values()]
    keeps_its_promises(PreferredRegion(), [worker(region=each) for each in ("r1", "r2", None)], asks)
