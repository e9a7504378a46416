"""Members that are spread evenly over domains: the most, within prices and spot shares."""

import pytest

from bayplan.placement.gangs.even_sums import Domain, most_even
from bayplan.placement.gangs.member_sums import Caps
from unit.placement.gangs.offers import NOTHING, offer

EVEN = {
    "the same of each": ([(0, [offer(0, 3)]), (0, [offer(1, 1)])], 9, Caps((9,)), {0: 2, 1: 1}),
    "those that had fewer first": ([(2, [offer(0, 3)]), (0, [offer(1, 3)])], 2, Caps((9,)), {1: 2}),
    "a full one holds the others back": ([(0, [offer(0, 3)]), (0, [])], 9, Caps((9,)), {0: 1}),
    "one that is far ahead is left alone": ([(5, [offer(0, 3)]), (0, [offer(1, 3)])], 9, Caps((9,)), {1: 3}),
    "no more than are wanted": ([(0, [offer(0, 3)]), (0, [offer(1, 3)])], 1, Caps((9,)), {0: 1}),
    "within the budget": ([(0, [offer(0, 3, 5.0)]), (0, [offer(1, 3, 5.0)])], 9, Caps((9,), 7.0), {0: 1}),
    "spot workers where there is no other": (
        [(0, [offer(0, 1, spot=True), offer(1, 1)]), (0, [offer(2, 1, spot=True)])], 2, Caps((9,), on_spot=1),
        {1: 1, 2: 1},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("domains", "desired", "caps", "expected"), EVEN.values(), ids=EVEN)
def test_most_even(domains, desired, caps, expected):
    found, whole = most_even(NOTHING, [Domain(*each) for each in domains], desired, caps)

    assert (found.total, whole) == (sum(expected.values()), True)
    held = {row: number for row, (number,) in found.of_workers}
    assert held == expected or len(held) == len(expected) == 1
