"""A workload that names regions stays there."""

import pytest

from bayplan.placement.filters.region import Region
from unit.placement.builders import ask, judge, keeps_its_promises, worker

CASES = {
    "anywhere": ((), "eu", None),
    "anywhere, not declared": ((), None, None),
    "there": (("us", "eu"), "eu", None),
    "elsewhere": (("us",), "eu", "region"),
    "a longer name is another region": (("eu",), "eu-west", "region"),
    "not declared": (("us",), None, "region"),
}


@pytest.mark.parametrize(("regions", "region", "code"), CASES.values(), ids=CASES)
def test_regions(regions, region, code):
    verdict = judge(Region(), ask(regions=regions), worker(region=region))

    assert (verdict.code, verdict.curable) == (code, False)


def test_the_reason_says_where_it_is_and_what_is_allowed():
    asked = ask(regions=("us-east", "us-west"))

    assert judge(Region(), asked, worker(region="eu")).message == "is in region eu; allowed: us-east, us-west"
    assert judge(Region(), asked, worker()).message == "its region is not declared; allowed: us-east, us-west"


def test_contract():
    workers = [worker(region=region) for _, region, _ in CASES.values()]
    keeps_its_promises(Region(), workers, [ask(regions=regions) for regions, _, _ in CASES.values()])
    assert Region.required
