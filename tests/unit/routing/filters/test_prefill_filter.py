"""The prefill stage has endpoints of its own."""

from bayplan.routing.filters.prefill_filter import PrefillFilter
from unit.routing.endpoint_tables import codes, endpoints, keeps_its_promises, kept
from unit.routing.filters.roles import ROLES

POOL = endpoints(*({"name": role or "none", "role": role} for role in ROLES))
WANTED = {"prefill", "encode-prefill", "prefill-decode", "both", "encode-prefill-decode"}


def test_mask():
    assert kept(PrefillFilter(), POOL) == WANTED
    assert codes(PrefillFilter(), POOL) == {name: ["role-mismatch"] for name in set(POOL.keys) - WANTED}


def test_contract():
    keeps_its_promises(PrefillFilter(), POOL)
