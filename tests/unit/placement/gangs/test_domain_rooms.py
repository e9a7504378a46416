"""No domain holds more members than are counted for it."""

import pytest

from bayplan.cluster.topology import Level
from bayplan.cluster.workload import CostLimit
from bayplan.placement.gangs.domain_rooms import are_counted, most_members
from fleets import booking, whole
from unit.placement.builders import role
from unit.placement.gangs.racks import CARD, PAIR, gang_of, rack, share, trial_of

NOBODY = role(cpu_milli=1000)

MOST = {
    "of one shape": ([(CARD, 9)], 5),
    "no more than are wanted": ([(CARD, 2)], 2),
    "pairs need a worker": ([(PAIR, 9)], 2),
    "roles share the cards": ([(PAIR, 2), (CARD, 3)], 4),
    "whoever takes fewest goes first": ([(PAIR, 9), (CARD, 4)], 4),
    "shares and whole cards are counted apart": ([(CARD, 5), (share(60), 5)], 10),
    "those without cards": ([(CARD, 9), (NOBODY, 3)], 8),
    "whoever fits nowhere": ([(role(gpus={"count": 4}), 2), (CARD, 1)], 1),
    "more than are looked ahead": ([(NOBODY, 99)], 99),
}


@pytest.mark.parametrize(("roles", "most"), MOST.values(), ids=MOST)
def test_the_most_that_a_rack_holds(roles, most):
    one = trial_of(gang_of(*roles, within=True), *rack("x", 2, 3, cpu_milli=999_000))

    assert most_members(one, Level.RACK).tolist() == [most]


def test_cards_that_others_hold_do_not_count():
    one = trial_of(
        gang_of(CARD, replicas=9, within=True), *rack("x", 3), bookings=[booking("other", whole(1), on="x-0")]
    )

    assert most_members(one, Level.RACK).tolist() == [2]


COUNTED = {
    "equal members": (gang_of(CARD, replicas=9, within=True), True),
    "more than are looked ahead": (gang_of(CARD, replicas=65, within=True), False),
    "members of two shapes": (gang_of((CARD, 1), (PAIR, 1), within=True), False),
    "members that share a budget": (
        gang_of(role(gpus={"count": 1}, cost=CostLimit(max_usd_per_hour=9.0)), within=True),
        False,
    ),
}


@pytest.mark.parametrize(("asked", "counted"), COUNTED.values(), ids=COUNTED)
def test_whether_the_most_is_what_there_is(asked, counted):
    assert are_counted(trial_of(asked, *rack("x", 2))) is counted
