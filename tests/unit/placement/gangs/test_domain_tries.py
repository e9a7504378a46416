"""Few domains are tried, and those that were not are not spoken of."""

import numpy as np
import pytest

from bayplan.cluster.topology import Level
from bayplan.placement.constraints.within import ELSEWHERE, UNTRIED
from bayplan.placement.gangs.domain_tries import FEWEST_TRIES, Tries, worth_trying
from unit.placement.gangs.racks import CARD, PAIR, gang_of, rack, trial_of

ROLES = gang_of((PAIR, 1), (CARD, 1), within=True)

ORDERS = {
    "the tightest that may hold all": ([4, 3, 5, 1], [1, 0, 2, 3], 3, 3, 9, [1, 0, 2]),
    "then those that may hold enough": ([2, 1, 5, 3], [0, 1, 2, 3], 4, 2, 9, [2, 3, 0]),
    "none": ([2, 1], [0, 1], 4, 3, 9, []),
    "the tightest and the roomiest of many": ([9] * 6, [5, 4, 3, 2, 1, 0], 2, 2, 4, [5, 4, 0, 1]),
    "an odd number of tries": ([9] * 6, [0, 1, 2, 3, 4, 5], 2, 2, 3, [0, 5, 4]),
}


@pytest.mark.parametrize(("most", "tightest", "desired", "minimum", "tries", "order"), ORDERS.values(), ids=ORDERS)
def test_order(most, tightest, desired, minimum, tries, order):
    assert worth_trying(np.array(most), np.array(tightest), desired, minimum, tries) == order


def test_equal_members_are_counted_and_nobody_is_tried():
    one = trial_of(gang_of(CARD, replicas=2, within=True), *rack("x", 1), *rack("y", 3))
    tries = Tries.of(one, Level.RACK, 2, 2, 9)

    assert (tries.order, sorted(tries.rooms.tolist()), tries.exact) == ([], [1, 2], True)
    assert not tries.within(Level.RACK, 2, ()).at_most.any()


def test_a_domain_that_is_too_small_is_not_tried():
    tries = Tries.of(trial_of(ROLES, *rack("x", 2), *rack("y", 3)), Level.RACK, 2, 2, 9)

    assert (len(tries.order), sorted(tries.rooms.tolist()), tries.exact) == (1, [1, 2], True)
    assert tries.within(Level.RACK, 2, ()).at_most.all()


def test_domains_that_nobody_tries_leave_the_answer_open():
    racks = [each for number in range(FEWEST_TRIES + 1) for each in rack(f"r{number}", 3)]
    tries = Tries.of(trial_of(ROLES, *racks), Level.RACK, 2, 2, 0)

    assert (len(tries.order), tries.rooms.tolist().count(UNTRIED), tries.exact) == (FEWEST_TRIES, 1, False)


def test_what_was_tried_is_known():
    tries = Tries.of(trial_of(ROLES, *rack("x", 3), *rack("y", 3)), Level.RACK, 2, 2, 9)
    tries.found(0, 1, exact=False)

    assert (tries.rooms.tolist(), tries.exact) == ([1, 2], False)
    assert tries.within(Level.RACK, 2, ()).at_most.tolist() == [False, True]


def test_members_that_are_there_leave_no_choice():
    tries = Tries.only(3, {1})

    assert (tries.order, set(tries.rooms.tolist())) == ([1], {ELSEWHERE})


def test_no_domain_at_all():
    assert Tries.of(trial_of(ROLES, *rack(None, 3)), Level.RACK, 2, 2, 9).order == []
