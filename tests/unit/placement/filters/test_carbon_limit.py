"""A workload may limit what the grid emits for it."""

import pytest

from bayplan.placement.filters.carbon_limit import CarbonLimit
from unit.placement.builders import ask, judge, keeps_its_promises, worker

CASES = {
    "no limit": (None, 900.0, None),
    "no limit, not known": (None, None, None),
    "less": (300.0, 299.5, None),
    "the limit itself": (300.0, 300.0, None),
    "more": (300.0, 300.5, "carbon"),
    "not known": (300.0, None, "carbon"),
    "nothing at all is allowed": (0.0, 0.0, None),
}


@pytest.mark.parametrize(("limit", "emitted", "code"), CASES.values(), ids=CASES)
def test_limit(limit, emitted, code):
    verdict = judge(CarbonLimit(), ask(max_carbon_g_per_kwh=limit), worker(carbon_g_per_kwh=emitted))

    assert (verdict.code, verdict.curable) == (code, False)


def test_the_reason_has_the_numbers():
    more, unknown = (
        judge(CarbonLimit(), ask(max_carbon_g_per_kwh=300.0), worker(carbon_g_per_kwh=emitted))
        for emitted in (412.5, None)
    )

    assert more.message == "its grid emits 412.5 g/kWh, 112.5 above the limit of 300"
    assert (more.needed, more.free, more.unit) == (412.5, 300.0, "g/kWh")
    assert unknown.message == "its carbon intensity is not known, and the limit is 300 g/kWh"
    assert (unknown.needed, unknown.free) == (None, 300.0)


def test_contract():
    workers = [worker(carbon_g_per_kwh=emitted) for _, emitted, _ in CASES.values()]
    keeps_its_promises(CarbonLimit(), workers, [ask(max_carbon_g_per_kwh=limit) for limit, _, _ in CASES.values()])
    assert CarbonLimit.required
