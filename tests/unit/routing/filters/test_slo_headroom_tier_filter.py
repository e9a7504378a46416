"""Endpoints that meet the objectives are a tier of their own."""

import pytest

from bayplan.routing.filters.slo_headroom_tier_filter import SloHeadroomTierFilter
from unit.routing.endpoint_tables import codes, endpoints, keeps_its_promises, kept, refused_at, request

ASKED = request(slo_ttft_ms=1000.0, slo_tpot_ms=100.0)
GOOD, LATE, SLOW, UNKNOWN = (
    {"predicted_ttft_ms": ttft, "predicted_tpot_ms": tpot}
    for ttft, tpot in ((900, 90), (1100, 90), (900, 110), (None, None))
)
NEVER, ALWAYS = SloHeadroomTierFilter(0), SloHeadroomTierFilter(1)
CASES = {
    "both tiers: the good one": (NEVER, [GOOD, LATE, SLOW, UNKNOWN], {"a"}),
    "exploring: the other one": (ALWAYS, [GOOD, LATE, SLOW, UNKNOWN], {"b", "c", "d"}),
    "all good": (ALWAYS, [GOOD, GOOD], {"a", "b"}),
    "none good": (NEVER, [LATE, UNKNOWN], {"a", "b"}),
    "just met": (NEVER, [{"predicted_ttft_ms": 1000, "predicted_tpot_ms": 100}, LATE], {"a"}),
}  # fmt: skip


@pytest.mark.parametrize(("plugin", "given", "wanted"), CASES.values(), ids=CASES)
def test_mask(plugin, given, wanted):
    table = endpoints(*given)

    assert kept(plugin, table, ASKED) == wanted
    assert codes(plugin, table, ASKED) == {name: ["headroom-tier"] for name in set(table.keys) - wanted}


def test_exploring_is_rare():
    table = endpoints(GOOD, LATE)
    explored = sum(kept(SloHeadroomTierFilter(), table, ASKED, seed=seed) == {"b"} for seed in range(1000))

    assert 1 <= explored <= 30


def test_ranges():
    assert refused_at(SloHeadroomTierFilter, epsilon_explore_neg=1.5) == "epsilon_explore_neg"


def test_contract():
    keeps_its_promises(SloHeadroomTierFilter(), endpoints(GOOD, LATE, SLOW, UNKNOWN), [ASKED])
