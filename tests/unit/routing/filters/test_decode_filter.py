"""The decode stage has endpoints of its own."""

from bayplan.routing.filters.decode_filter import DecodeFilter
from unit.routing.endpoint_tables import codes, endpoints, keeps_its_promises, kept
from unit.routing.filters.roles import ROLES

POOL = endpoints(*({"name": role or "none", "role": role} for role in ROLES))
WANTED = {"none", "decode", "prefill-decode", "both", "encode-prefill-decode"}


def test_mask():
    assert kept(DecodeFilter(), POOL) == WANTED
    assert codes(DecodeFilter(), POOL) == {name: ["role-mismatch"] for name in set(POOL.keys) - WANTED}


def test_contract():
    keeps_its_promises(DecodeFilter(), POOL)
