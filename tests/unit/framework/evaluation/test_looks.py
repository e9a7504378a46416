"""Which rows look alike, while the table changes."""

import numpy as np
import pytest

from bayplan.framework.evaluation import looks as looks_of_rows
from bayplan.framework.evaluation.looks import FEW_ROWS, Folded, Looks, can_fold, distinct_rows, equal_rows
from bayplan.framework.table import Table
from unit.framework.builders import index

ROWS = 600


def fleet(kinds=4):
    free = np.stack([np.arange(ROWS) % kinds, np.zeros(ROWS, np.int64)], 1)
    return Table(static={"zone": np.arange(ROWS) % 2, "name": np.arange(ROWS)}, state={"free": free})


def spread(looks):
    """The columns of all rows, made from those of the looks."""
    return {name: column[looks.which].tolist() for name, column in looks.columns().items()}


def test_one_look_for_equal_rows():
    table = fleet()
    looks = Looks(table, ("free",))

    assert looks.size == 4
    assert spread(looks) == {"free": table.columns["free"].tolist()}


def test_no_column_makes_all_rows_equal():
    table = fleet()
    looks = Looks(table, ())
    table.write(3, {"free": [9, 9]})
    looks.sync(table)

    assert (looks.size, looks.which.tolist()) == (1, [0] * ROWS)


def test_a_row_that_is_written_back_has_its_old_look_again():
    table = fleet()
    looks = Looks(table, ("free", "zone"))
    before = looks.which.tolist()
    for free in ([9, 9], [3, 0]):
        table.write(3, {"free": free})
        looks.sync(table)

    assert (looks.size, looks.which.tolist()) == (5, before)


WRITTEN = {"half of the rows": (ROWS // 2, 5), "more rows: looks are built anew": (ROWS // 2 + 1, 4)}


@pytest.mark.parametrize(("count", "size"), WRITTEN.values(), ids=WRITTEN)
def test_looks_that_are_not_used_stay_until_they_are_built_anew(count, size):
    table = fleet()
    looks = Looks(table, ("free",))
    table.write(3, {"free": [9, 9]})
    looks.sync(table)
    table.write_many(np.arange(count), {"free": np.array([[row % 4, 0] for row in range(count)])})
    looks.sync(table)

    assert looks.size == size
    assert spread(looks) == {"free": table.columns["free"].tolist()}


def test_rows_that_the_ground_tells_apart():
    table = fleet()
    ground = (np.arange(ROWS) % 3).astype(np.intp)
    looks = Looks(table, ("free",), ground)

    assert looks.size == 12
    assert looks.grounds()[looks.which].tolist() == ground.tolist()


def test_written_rows_are_looked_at_again():
    table = fleet()
    looks = Looks(table, ("free",))
    for row, free in ((3, [9, 9]), (4, [9, 9]), (3, [1, 0])):
        table.write(row, {"free": free})
        looks.sync(table)

    assert looks.size == 5
    assert spread(looks) == {"free": table.columns["free"].tolist()}


def test_more_written_rows_than_the_log_tells():
    table = fleet()
    looks = Looks(table, ("free",))
    table.write_many(np.arange(ROWS), {"free": np.ones((ROWS, 2), np.int64)})
    looks.sync(table)

    assert looks.size == 1
    assert looks.which.tolist() == [0] * ROWS


def test_looks_that_no_row_has_are_forgotten():
    table = fleet()
    looks = Looks(table, ("free",))
    for value in range(3 * FEW_ROWS):
        table.write(value % 2, {"free": [value, 7]})
        looks.sync(table)

    assert looks.size <= FEW_ROWS + 1
    assert spread(looks) == {"free": table.columns["free"].tolist()}


def test_rows_keep_their_values_while_looks_are_forgotten():
    table = fleet()
    looks, sizes = Looks(table, ("free",), index(*range(ROWS))), []
    for value in range(2 * ROWS):
        table.write(value % 7, {"free": [value, 7]})
        looks.sync(table)
        sizes.append(looks.size)
        if looks.size == ROWS:
            break

    assert sizes[-2:] == [2 * ROWS, ROWS]
    assert spread(looks) == {"": list(range(ROWS)), "free": table.columns["free"].tolist()}


def test_a_look_is_forgotten_when_its_last_row_has_left_it():
    table = fleet()
    looks, sizes = Looks(table, ("free",)), []
    for row, free in ((590, [9, 9]), (591, [9, 9]), (591, [8, 8])):
        table.write(row, {"free": free})
        looks.sync(table)
    for value in range(2 * FEW_ROWS):
        table.write(0, {"free": [value, 7]})
        looks.sync(table)
        sizes.append(looks.size)

    assert sizes[FEW_ROWS - 7 : FEW_ROWS - 5] == [FEW_ROWS, 7]
    assert spread(looks) == {"free": table.columns["free"].tolist()}


FOLDS = {
    "numbers": (fleet(), ("free", "zone"), True),
    "few rows": (Table(state={"free": np.zeros(FEW_ROWS - 1)}), ("free",), False),
    "just enough rows": (Table(state={"free": np.zeros(FEW_ROWS)}), ("free",), True),
    "objects": (Table(state={"free": ["a"] * FEW_ROWS}), ("free",), False),
}


@pytest.mark.parametrize(("table", "names", "folds"), FOLDS.values(), ids=FOLDS)
def test_where_rows_can_be_compared(table, names, folds):
    assert can_fold(table, names) is folds


def test_a_folded_column():
    folded = Folded(np.array([5.0, 7.0]), index(0, 1, 1))

    assert folded.whole().tolist() == [5.0, 7.0, 7.0]
    assert folded[index(2, 0)].tolist() == folded.take(index(2, 0), 0).tolist() == [7.0, 5.0]
    assert folded.nbytes == 16


def test_a_folded_column_of_several_values_a_row():
    folded = Folded(np.array([[5, 6], [7, 8]]), index(0, 1, 1))

    assert folded.take(index(2, 0)).tolist() == [[7, 8], [5, 6]]


def test_one_of_each_kind_is_the_first_row_that_is_asked_about():
    table = fleet(kinds=3)
    values, asked = table.columns["free"][:, 0], np.arange(ROWS - 1, -1, -1)

    first, which = distinct_rows(table, asked, ("free",))

    assert sorted(first.tolist()) == [ROWS - 3, ROWS - 2, ROWS - 1]
    assert values[first][which].tolist() == values[asked].tolist()


@pytest.mark.parametrize("collide", [False, True])
def test_rows_are_equal_where_all_their_bytes_are(monkeypatch, collide):
    if collide:  # every row has the same number, so that only its bytes tell it from others
        monkeypatch.setattr(looks_of_rows, "_multipliers", lambda count: np.zeros(count, np.uint64))
    columns = {"a": np.array([1, 2, 1, 1], np.int16), "b": np.array([[0.0, 1.0], [0.0, 1.0], [0.0, 1.0], [-0.0, 1.0]])}

    first, which = equal_rows(columns, 4)

    assert sorted(first.tolist()) == [0, 1, 3]
    assert first[which].tolist() == [0, 1, 0, 3]


def test_kinds_of_some_rows():
    table = fleet(kinds=3)
    asked = np.arange(1, ROWS, 3).repeat(2)  # rows of the second kind only, each twice

    first, which = distinct_rows(table, asked, ("free",))

    assert (first.tolist(), which.tolist()) == ([1], [0] * len(asked))


APART = {
    "few rows": (fleet, FEW_ROWS - 1, True),
    "enough rows": (fleet, FEW_ROWS, False),
    "objects": (lambda: Table(state={"free": ["a"] * ROWS}), ROWS, True),
    "a fork": (lambda: fleet().fork(), ROWS, False),
    "a fork of a fork": (lambda: fleet().fork().fork(), ROWS, True),
}


@pytest.mark.parametrize(("make", "count", "apart"), APART.values(), ids=APART)
def test_where_each_row_is_a_kind_of_its_own(make, count, apart):
    first, which = distinct_rows(make(), np.arange(count), ("free",))

    assert (first.tolist() == which.tolist() == list(range(count))) is apart


def test_rows_that_were_written_in_a_fork_are_of_their_own_kind():
    table = fleet(kinds=3)
    fork = table.fork()
    for row in (5, 8):
        fork.write(row, {"free": [7, 7]})
    first, which = distinct_rows(fork, np.arange(ROWS), ("free",))

    assert sorted(first.tolist()) == [0, 1, 2, 5, 8]
    assert first[which].tolist() == [row if row in (5, 8) else row % 3 for row in range(ROWS)]
    assert sorted(distinct_rows(table, np.arange(ROWS), ("free",))[0].tolist()) == [0, 1, 2]


def test_looks_are_kept_with_the_table_until_a_static_column_is_written():
    table = fleet()

    def looked_at(names):
        distinct_rows(table, np.arange(ROWS), names)
        return list(table.looks.values())

    (free,) = looked_at(("free",))
    table.write(0, {"free": [9, 9]})
    assert looked_at(["free"]) == [free]
    assert looked_at(("zone",))[0] is free
    assert len(table.looks) == 2
    table.write(0, {"zone": 1})
    assert looked_at(("free",))[0] is not free
