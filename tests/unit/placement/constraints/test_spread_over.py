"""The next replica goes where the fewest are."""

import numpy as np
import pytest

from bayplan.cluster.topology import Level, TopologyPath
from bayplan.placement.asks.subject import Balance
from bayplan.placement.constraints.spread_over import DomainSpread
from unit.placement.builders import ask, keeps_its_promises, subject, verdicts, worker

ASKED = ask()
RACKS = [worker(name, topology=TopologyPath(rack=rack)) for name, rack in (("a", "r1"), ("b", "r2"), ("c", None))]


def said(here, there, least):
    """Of workers in a rack with `here` replicas, in one with `there`, and in none."""
    ordered = sorted(("r1", "r2"), key=lambda name: TopologyPath(rack=name).sort_key)
    counts = np.array([{"r1": here, "r2": there}[name] for name in ordered])
    return verdicts(DomainSpread(Level.RACK), ASKED, *RACKS, who=subject(balance=Balance(counts, least)))


CASES = {
    "both are empty": ((0, 0, 0), (None, None)),
    "one has one": ((1, 0, 0), ("domain-spread", None)),
    "both have one": ((1, 1, 1), (None, None)),
    "a third one is behind both": ((1, 1, 0), ("domain-spread", "domain-spread")),
    "one has long had more": ((5, 2, 2), ("domain-spread", None)),
}


@pytest.mark.parametrize(("counts", "codes"), CASES.values(), ids=CASES)
def test_no_domain_gets_ahead_by_two(counts, codes):
    found = said(*counts)

    assert (found["a"].code, found["b"].code, found["c"].code) == (*codes, "domain-spread")


def test_nobody_counts():
    found = verdicts(DomainSpread(Level.RACK), ASKED, *RACKS, who=subject())

    assert {verdict.code for verdict in found.values()} == {None}


def test_the_reasons():
    found = said(2, 1, 1)

    assert found["a"].message == "its rack has 2 replicas, another rack has 1; they may differ by one"
    assert found["a"].curable
    assert found["c"].message == "is in no rack, over which the replicas are spread"
    assert not found["c"].curable


def test_contract():
    balance = Balance(np.array([1, 0]), 0)
    keeps_its_promises(DomainSpread(Level.RACK), RACKS, [ASKED], subject=subject(balance=balance))
    keeps_its_promises(DomainSpread(Level.RACK), RACKS, [ASKED])
    assert DomainSpread.required
