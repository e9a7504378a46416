"""The next replica goes where the fewest are."""

import numpy as np
import pytest

from bayplan.cluster.topology import Level, TopologyPath
from bayplan.placement.constraints.spread_over import BALANCE, Balance, DomainSpread
from fleets import booking, whole
from unit.placement.builders import ask, keeps_its_promises, sized, subject, verdicts, worker
from unit.placement.gangs.racks import CARD, PAIR, rack, trial_of

ASKED = ask()
RACKS = [worker(name, topology=TopologyPath(rack=rack)) for name, rack in (("a", "r1"), ("b", "r2"), ("c", None))]


def said(here, there, least):
    """Of workers in a rack with `here` replicas, in one with `there`, and in none."""
    ordered = sorted(("r1", "r2"), key=lambda name: TopologyPath(rack=name).sort_key)
    counts = np.array([{"r1": here, "r2": there}[name] for name in ordered])
    return verdicts(
        DomainSpread(), ASKED, *RACKS, who=subject(constraints={BALANCE: Balance(Level.RACK, counts, least)})
    )


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
    found = verdicts(DomainSpread(), ASKED, *RACKS, who=subject())

    assert {verdict.code for verdict in found.values()} == {None}


def test_the_reasons():
    found = said(2, 1, 1)

    assert found["a"].message == "its rack has 2 replicas, another rack has 1; they may differ by one"
    assert found["a"].curable
    assert found["c"].message == "is in no rack, over which the replicas are spread"
    assert not found["c"].curable


def test_contract():
    balance = Balance(Level.RACK, np.array([1, 0]), 0)
    keeps_its_promises(DomainSpread(), RACKS, [ASKED], subject=subject(constraints={BALANCE: balance}))
    keeps_its_promises(DomainSpread(), RACKS, [ASKED])
    assert DomainSpread.required


def balance_of(*workers, held=(), shape=CARD):
    """Counts by rack, and the least of those that count."""
    one = trial_of(sized(shape, replicas=9, spread_over=Level.RACK), *workers, bookings=held)
    found = one.constraints.spread.view(())
    names = [name[-1] for name in one.snapshot.domains[Level.RACK].names]
    return dict(zip(names, found.counts.tolist(), strict=False)), found.least


def mine(replica, on, *cards):
    return booking("mine", *map(whole, cards), replica=replica, on=on)


TWO = [*rack("x", 4, 4), *rack("y", 4)]
COUNTS = {
    "nobody is there": ((), {"x": 0, "y": 0}, 0),
    "one in a rack": ((mine(0, "x-0", 0),), {"x": 1, "y": 0}, 0),
    "two on workers of a rack": ((mine(0, "x-0", 0), mine(1, "x-1", 0), mine(2, "y-0", 0)), {"x": 2, "y": 1}, 1),
    "one that stands on two workers": ((mine(0, "x-0", 0), mine(0, "x-1", 0)), {"x": 1, "y": 0}, 0),
    "one on a worker that is gone": ((mine(0, "gone", 0),), {"x": 0, "y": 0}, 0),
}


@pytest.mark.parametrize(("held", "counts", "least"), COUNTS.values(), ids=COUNTS)
def test_counts(held, counts, least):
    assert balance_of(*TWO, held=held) == (counts, least)


def test_a_rack_that_could_never_hold_one_does_not_count():
    found = balance_of(*TWO, *rack("z", 1), held=(mine(0, "x-0", 0, 1), mine(1, "y-0", 0, 1)), shape=PAIR)

    assert found == ({"x": 1, "y": 1, "z": 0}, 1)


def test_a_rack_that_is_full_of_others_counts():
    full = booking("other", *map(whole, range(4)), on="y-0")
    one = trial_of(sized(CARD, replicas=9, spread_over=Level.RACK), *TWO, bookings=(full, mine(0, "x-0", 0)))

    assert one.constraints.spread.view(()).least == 0
    assert not one.place(1)


def test_a_worker_in_no_rack_holds_nobody():
    one = trial_of(sized(CARD, replicas=2, spread_over=Level.RACK), worker("nowhere", cards=4))

    assert not one.place(2)
