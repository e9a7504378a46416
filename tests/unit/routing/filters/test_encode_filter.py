"""The encode stage has endpoints of its own."""

from bayplan.routing.filters.encode_filter import EncodeFilter
from unit.routing.endpoint_tables import codes, endpoints, keeps_its_promises, kept
from unit.routing.filters.roles import ROLES

POOL = endpoints(*({"name": role or "none", "role": role} for role in ROLES))
WANTED = {"encode", "encode-prefill", "encode-prefill-decode"}


def test_mask():
    assert kept(EncodeFilter(), POOL) == WANTED
    assert codes(EncodeFilter(), POOL) == {name: ["role-mismatch"] for name in set(POOL.keys) - WANTED}


def test_contract():
    keeps_its_promises(EncodeFilter(), POOL)
