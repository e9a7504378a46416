"""Pools number distinct values, and numbers never change."""

from __future__ import annotations

from bayplan.cluster.columns import UNKNOWN
from bayplan.cluster.pool import Pool


def test_equal_values_have_one_number():
    pool = Pool()

    assert pool.numbers([("a",), ("b",), None, ("a",)]) == [0, 1, UNKNOWN, 0]
    assert pool.numbers(iter([("c",), ("b",)])) == [2, 1]
    assert (pool.values, len(pool), pool[1], list(pool)) == ([("a",), ("b",), ("c",)], 3, ("b",), pool.values)


def test_looking_for_a_value_does_not_add_it():
    pool = Pool()
    pool.number("a")

    assert (pool.find("a"), pool.find("b"), len(pool)) == (0, None, 1)


def test_objects_that_die_on_the_way_are_not_taken_for_each_other():
    assert Pool().numbers(str(number) * 50 for number in range(200)) == list(range(200))
