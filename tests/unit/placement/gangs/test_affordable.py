"""The workers that hold most members for what there is to spend."""

import pytest

from bayplan.placement.gangs.affordable import cheapest

CASES = {
    "nothing to spend": ([1.0], [1], 1, 0.0, (), 0, []),
    "the cheapest": ([3.0, 1.0, 2.0], [1, 1, 1], 1, 9.0, (), 0, [1]),
    "a large one rather than two": ([3.0, 2.0, 2.0], [2, 1, 1], 2, 3.0, (), 0, [0]),
    "no more than wanted": ([1.0, 1.0], [2, 2], 2, 9.0, (), 0, [0]),
    "what is paid for already": ([0.0, 1.0], [1, 1], 2, 0.0, (), 0, [0]),
    "lent ones that may": ([1.0, 5.0], [2, 2], 2, 9.0, (0,), 2, [0]),
    "one lent one beside others": ([1.0, 5.0], [2, 1], 2, 9.0, (0,), 1, [0, 1]),
    "one member on two lent ones": ([1.0, 1.0, 9.0], [1, 1, 1], 2, 5.0, (0, 1), 1, [0]),
    "no lent one at all": ([1.0, 5.0], [2, 1], 2, 9.0, (0,), 0, [1]),
    "more lent ones than may": ([1.0, 5.0], [2, 1], 2, 9.0, (0,), -1, [1]),
}  # fmt: skip


@pytest.mark.parametrize(("prices", "rooms", "wanted", "limit", "lent", "most", "chosen"), CASES.values(), ids=CASES)
def test_cheapest(prices, rooms, wanted, limit, lent, most, chosen):
    assert cheapest(prices, rooms, wanted, limit, lent, most) == chosen
