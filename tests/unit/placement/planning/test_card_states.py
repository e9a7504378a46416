"""Cards as the replicas of a plan find them."""

import pytest

from bayplan.cluster.booking import CardBooking
from bayplan.placement.planning.card_states import CardState
from fleets import booking, share, whole
from unit.placement.builders import gpu, need, planner, role, sized, worker

AFTER = {
    "a share":         (share(0, 30), CardState(100, 60, 40, 3)),
    "its headroom":    (share(0, 30, headroom_mib=8), CardState(100, 52, 48, 3)),
    "more than free":  (share(0, 95), CardState(100, 0, 105, 3)),
    "compute alone":   (share(0, None, 100), CardState(100, 90, 10, 3)),
    "the whole card":  (whole(0), CardState(100, 0, 110, 3)),
}  # fmt: skip


@pytest.mark.parametrize(("part", "after"), AFTER.values(), ids=AFTER)
def test_one_more_booking(part, after):
    assert CardState(100, 90, 10, 2).after(part) == after


def test_free_memory_that_is_not_known_stays_so():
    assert CardState(-1, -1, 0, 0).after(CardBooking(0, memory_mib=5)) == CardState(-1, -1, 5, 1)


def test_each_replica_finds_what_the_former_ones_left():
    held = (booking("other", share(0, 1_000, headroom_mib=200)),)
    on = worker(cards=[gpu(0, memory_mib=20_000, observed_used_mib=1_500)])
    plan = planner(on, bookings=held).plan(sized(role(need(5_000), "vllm"), replicas=2))

    assert plan.cards_found == (
        (CardState(20_000, 18_500, 1_500, 1),),
        (CardState(20_000, 12_700, 7_300, 2),),
    )


def test_engines_that_take_no_share_need_not_know():
    plan = planner(worker(cards=[gpu(0, memory_mib=20_000)])).plan(sized(role(need(5_000), "custom")))

    assert plan.cards_found == ()
