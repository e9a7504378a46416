"""Sums of members over workers: the most, within prices and spot shares."""

import pytest

from bayplan.placement.gangs.member_sums import Caps, most
from unit.placement.gangs.offers import NOTHING, offer

MOST = {
    "all that there is room for": ([offer(0, 2), offer(1, 1)], Caps((9,)), 3),
    "no more than are missing": ([offer(0, 2), offer(1, 1)], Caps((2,)), 2),
    "what the budget allows": ([offer(0, 2, 5.0), offer(1, 1, 1.0)], Caps((9,), 5.0), 2),
    "two cheap ones": ([offer(0, 2, 5.0), offer(1, 2, 2.0), offer(2, 1, 2.0)], Caps((9,), 5.0), 3),
    "as many on spot workers as may": ([offer(0, 3, spot=True), offer(1, 1)], Caps((9,), on_spot=2), 3),
}  # fmt: skip


@pytest.mark.parametrize(("offers", "caps", "members"), MOST.values(), ids=MOST)
def test_most(offers, caps, members):
    found, whole = most(NOTHING, offers, caps)

    assert (found.total, whole) == (members, True)
    assert sum(sum(held) for _, held in found.of_workers) == members
