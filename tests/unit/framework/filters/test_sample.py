from collections import Counter

import pytest

from bayplan.framework.filters.sample import Sample
from bayplan.framework.list_table import ListTable
from bayplan.framework.table import Table
from unit.framework.builders import Keeps, freest, scheduler, table

STORAGES = pytest.mark.parametrize("kind", [Table, ListTable])


def free_left(kind):
    if kind is Table:
        return Keeps("roomy", ("free",), lambda ask, rows, cycle: rows.free > 0)
    return Keeps("roomy", ("free",), lambda ask, rows, cycle: [free > 0 for free in rows.free])


def ranked(count, kind, free, seed=0):
    mine = scheduler(free_left(kind), Sample(count), on=table(free, [0] * len(free), kind))
    return mine.schedule("s", seed=seed, explained=True)


@STORAGES
def test_keeps_so_many_of_what_the_filters_before_it_left(kind):
    outcome = ranked(2, kind, [0, 1, 1, 0, 1, 1])
    explanation = outcome.explanations["p"]

    left = {each.row for each in explanation.ranked()}
    assert len(left) == 2
    assert left <= {1, 2, 4, 5}
    codes = {row: [each.code for each in why] for row, why in explanation.rejections().items()}
    assert codes[0] == codes[3] == ["roomy", "not-evaluated"]
    assert [codes[row] for row in {1, 2, 4, 5} - left] == [["not-scored"]] * 2
    (out, *_) = {1, 2, 4, 5} - left
    assert explanation.rejections(out)[out][0].message == "left out of the sample of 2 that was scored"


@STORAGES
def test_a_row_that_alone_fits_is_always_found(kind):
    assert all(ranked(1, kind, [0, 0, 3, 0], seed).picked[0].row == 2 for seed in range(10))


@STORAGES
def test_everybody_is_kept_where_there_are_few(kind):
    assert len(ranked(9, kind, [1, 1, 1]).explanations["p"].ranked()) == 3


@STORAGES
def test_every_row_has_its_chance(kind):
    counts = Counter(ranked(1, kind, [1, 1, 1], seed).picked[0].row for seed in range(150))

    assert min(counts[row] for row in range(3)) > 25


def test_it_may_be_asked_for_the_best_of_a_sample():
    mine = scheduler(Sample(2), freest(), on=table((1, 9, 5), (0, 0, 0)))
    picks = {mine.schedule("s", seed=seed).picked[0].row for seed in range(30)}

    assert picks == {1, 2}
