"""Numbers side by side."""

import pytest

from bayplan.placement.gangs.member_numbers import contains, largest


@pytest.mark.parametrize(
    ("more", "fewer", "expected"),
    [((1, 2), (1, 2), True), ((1, 2), (0, 2), True), ((1, 2), (2, 0), False), ((), (), True)],
)
def test_one_contains_another(more, fewer, expected):
    assert contains(more, fewer) is expected


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ([(0, 0), (1, 0), (0, 2), (1, 1)], [(0, 2), (1, 1)]),
        ([(1, 1), (1, 1)], [(1, 1)]),
        ([(0, 0)], [(0, 0)]),
        ([], []),
    ],
)
def test_those_that_no_other_contains(numbers, expected):
    assert sorted(largest(numbers)) == expected
