"""How many replicas stand in each rack, and which racks count."""

import pytest

from bayplan.cluster.topology import Level
from fleets import booking, whole
from unit.placement.builders import request, worker
from unit.placement.gangs.racks import CARD, PAIR, rack, trial_of


def balance(*workers, held=(), shape=CARD):
    """Counts by rack, and the least of those that count."""
    one = trial_of(request(shape, replicas=9, spread_over=Level.RACK), *workers, bookings=held)
    found = one.subject(len(held), (), one.sized.roles[0]).balance
    names = [name[-1] for name in one.snapshot.domains[Level.RACK].names]
    return dict(zip(names, found.counts.tolist(), strict=False)), found.least


def mine(replica, on, *cards):
    return booking("mine", *map(whole, cards), replica=replica, on=on)


TWO = [*rack("x", 4, 4), *rack("y", 4)]
CASES = {
    "nobody is there": ((), {"x": 0, "y": 0}, 0),
    "one in a rack": ((mine(0, "x-0", 0),), {"x": 1, "y": 0}, 0),
    "two on workers of a rack": ((mine(0, "x-0", 0), mine(1, "x-1", 0), mine(2, "y-0", 0)), {"x": 2, "y": 1}, 1),
    "one that stands on two workers": ((mine(0, "x-0", 0), mine(0, "x-1", 0)), {"x": 1, "y": 0}, 0),
    "one on a worker that is gone": ((mine(0, "gone", 0),), {"x": 0, "y": 0}, 0),
}


@pytest.mark.parametrize(("held", "counts", "least"), CASES.values(), ids=CASES)
def test_counts(held, counts, least):
    assert balance(*TWO, held=held) == (counts, least)


def test_a_rack_that_could_never_hold_one_does_not_count():
    found = balance(*TWO, *rack("z", 1), held=(mine(0, "x-0", 0, 1), mine(1, "y-0", 0, 1)), shape=PAIR)

    assert found == ({"x": 1, "y": 1, "z": 0}, 1)


def test_a_rack_that_is_full_of_others_counts():
    full = booking("other", *map(whole, range(4)), on="y-0")
    one = trial_of(request(CARD, replicas=9, spread_over=Level.RACK), *TWO, bookings=(full, mine(0, "x-0", 0)))

    assert one.subject(1, (), one.sized.roles[0]).balance.least == 0
    assert not one.place(1)


def test_a_worker_in_no_rack_holds_nobody():
    one = trial_of(request(CARD, replicas=2, spread_over=Level.RACK), worker("nowhere", cards=4))

    assert not one.place(2)
