"""Only a part of a workload's replicas stands on spot workers."""

import pytest

from bayplan.placement.constraints.spot_share import ON_SPOT, OnSpot, SpotShare
from unit.placement.builders import ask, judge, keeps_its_promises, subject, worker

CASES = {
    "no limit": (None, True, None),
    "the first": (OnSpot(0, 2, 4, 50.0), True, None),
    "the last that may": (OnSpot(1, 2, 4, 50.0), True, None),
    "one too many": (OnSpot(2, 2, 4, 50.0), True, "spot"),
    "more than may already": (OnSpot(3, 2, 4, 50.0), True, "spot"),
    "none may": (OnSpot(0, 0, 4, 10.0), True, "spot"),
    "a steady worker": (OnSpot(2, 2, 4, 50.0), False, None),
}


@pytest.mark.parametrize(("share", "spot", "code"), CASES.values(), ids=CASES)
def test_share(share, spot, code):
    verdict = judge(
        SpotShare(), ask(), worker(spot=spot), who=subject(constraints={} if share is None else {ON_SPOT: share})
    )

    assert (verdict.code, verdict.curable) == (code, False)


def test_the_reason_has_the_numbers():
    verdict = judge(SpotShare(), ask(), worker(spot=True), who=subject(constraints={ON_SPOT: OnSpot(3, 2, 5, 40.5)}))

    assert (verdict.needed, verdict.free, verdict.short, verdict.unit) == (4, 2, 2, "replicas")
    assert verdict.message == (
        "is a spot worker; 2 of 5 replicas may be on spot workers (cost.maxSpotPercent 40.5), 3 are"
    )


def test_contract():
    keeps_its_promises(SpotShare(), [worker("a", spot=True), worker("b")], [ask()])
    assert SpotShare.required
