"""What one worker holds of several shapes at once."""

import pytest

from bayplan.placement.gangs.worker_capacity import OneWorker, Steps
from fleets import booking, share as held_share
from unit.placement.builders import gpu, role, worker
from unit.placement.gangs.racks import CARD, PAIR, gang_of, share, trial_of

CPU = role(cpu_milli=1000)


def found(*roles, on, bookings=(), steps=None):
    one = trial_of(gang_of(*roles), on, bookings=bookings)
    wanted = [(role, missing) for role, missing in one.missing() if missing]
    return OneWorker(one, wanted, 0, steps or Steps()).found()


CASES = {
    "one of two, or two of one": ([(PAIR, 1), (CARD, 2)], worker("a", cards=2), (),
        {(0, 0), (1, 0), (0, 1), (0, 2)}),
    "both at once": ([(PAIR, 1), (CARD, 1)], worker("a", cards=3), (), {(0, 0), (1, 0), (0, 1), (1, 1)}),
    "no more than are wanted": ([(CARD, 1), (share(5), 1)], worker("a", cards=9), (),
        {(0, 0), (1, 0), (0, 1), (1, 1)}),
    "what others hold": ([(CARD, 1), (share(30_000), 1)], worker("a", cards=1), [booking("o", held_share(0, 20_000))],
        {(0, 0)}),
    "CPU is shared": ([(CPU, 2), (role(cpu_milli=2000), 1)], worker("a", cpu_milli=2000), (),
        {(0, 0), (1, 0), (2, 0), (0, 1)}),
}  # fmt: skip


@pytest.mark.parametrize(("roles", "on", "bookings", "numbers"), CASES.values(), ids=CASES)
def test_all_that_a_worker_holds(roles, on, bookings, numbers):
    assert set(found(*roles, on=on, bookings=bookings)) == numbers


def test_cards_that_the_strategy_would_not_choose():
    """The tightest card for the small share would leave the large ones without."""
    cards = [gpu(0, memory_mib=40), gpu(1, memory_mib=30)]

    held = found((share(10), 2), (share(20), 2), on=worker("a", cards=cards))

    assert [role for role, _ in held[2, 2]] == [0, 0, 1, 1]


def test_what_was_tried_is_undone():
    one = trial_of(gang_of((PAIR, 1), (CARD, 1)), worker("a", cards=3))
    before = {name: one.table.columns[name].tolist() for name in one.table.schema.state}

    OneWorker(one, one.missing(), 0, Steps()).found()

    assert {name: one.table.columns[name].tolist() for name in one.table.schema.state} == before
    assert not one.held


def test_steps_come_to_an_end():
    steps = Steps(2)

    held = found((CARD, 2), (PAIR, 2), on=worker("a", cards=8), steps=steps)

    assert steps.cut_off
    assert (0, 0) in held
