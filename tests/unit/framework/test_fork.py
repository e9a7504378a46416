import numpy as np
import pytest

from bayplan.framework.errors import ConflictError, InputError
from bayplan.framework.fork import Fork
from bayplan.framework.table import Table
from unit.framework.builders import index


def base(rows=4):
    return Table(
        static={"zone": np.arange(rows)},
        state={"free": np.arange(rows) * 10, "cards": np.zeros((rows, 2), np.int64)},
        shared={"rate": 1.0},
        keys=[f"row-{row}" for row in range(rows)],
    )


def test_a_fork_is_its_base_until_it_is_written():
    table = base()
    fork = table.fork()

    assert isinstance(fork, Fork)
    assert (fork.size, fork.keys, fork.shared, fork.epochs) == (4, table.keys, table.shared, table.epochs)
    assert (fork.schema, fork.generation, fork.static_log) == (table.schema, table.generation, table.static_log)
    assert fork.version == table.version
    assert fork.columns["free"] is table.columns["free"]
    assert (list(fork.columns), len(fork.columns)) == (["zone", "free", "cards"], 3)
    assert fork.touched.tolist() == []


def test_what_is_written_is_seen_there_alone():
    table = base()
    fork = table.fork()
    fork.write(2, {"free": 7})
    fork.write(2, {"cards": [3, 4]})
    fork.write(0, {"free": 1})

    assert fork.columns["free"].tolist() == [1, 10, 7, 30]
    assert fork.columns["cards"].tolist() == [[0, 0], [0, 0], [3, 4], [0, 0]]
    assert fork.columns["zone"] is table.columns["zone"]
    assert table.columns["free"].tolist() == [0, 10, 20, 30]
    assert fork.touched.tolist() == [2, 0]
    assert fork.log.since(0, 9).tolist() == [2, 2, 0]
    assert fork.version == table.version + 3


def test_gather_takes_written_rows_from_aside_in_any_order():
    fork = base().fork()
    fork.write(3, {"free": 7})
    fork.write(1, {"free": 5, "cards": [9, 9]})

    got = fork.gather(("zone", "free", "cards"), index(1, 0, 3, 1))

    assert got["zone"].tolist() == [1, 0, 3, 1]
    assert got["free"].tolist() == [5, 0, 7, 5]
    assert got["cards"].tolist() == [[9, 9], [0, 0], [0, 0], [9, 9]]
    assert fork.gather(("free",), index(0, 2))["free"].tolist() == [0, 20]


def test_room_aside_grows_with_the_rows_written():
    table = base(40)
    fork = table.fork()
    for row in range(0, 40, 2):
        fork.write(row, {"free": -row})

    assert fork.columns["free"].tolist() == [-row if row % 2 == 0 else row * 10 for row in range(40)]
    assert fork.gather(("free",), np.arange(40))["free"].tolist() == fork.columns["free"].tolist()
    assert len(fork.touched) == 20


def test_a_fork_of_a_fork_sees_both():
    outer = base().fork()
    outer.write(0, {"free": 1})
    inner = outer.fork()
    inner.write(1, {"free": 2})
    inner.write(0, {"cards": [5, 5]})

    assert inner.columns["free"].tolist() == [1, 2, 20, 30]
    assert outer.columns["free"].tolist() == [1, 10, 20, 30]
    assert inner.gather(("free", "cards"), index(0))["cards"].tolist() == [[5, 5]]
    assert outer.gather(("cards",), index(0))["cards"].tolist() == [[0, 0]]


BAD = {
    "no such row": (4, {"free": 1}, "fork: there is no row 4; rows are 0 to 3"),
    "a negative row": (-1, {"free": 1}, "fork: there is no row -1; rows are 0 to 3"),
    "a static column": (0, {"zone": 1}, "fork: only state columns can be written here, not ['zone']; write static"),
    "no such column": (0, {"free": 1, "fee": 2}, "fork: only state columns can be written here, not ['fee']"),
    "no number": (0, {"free": "x"}, "fork.free[0]: cannot take 'x': "),
}


@pytest.mark.parametrize(("row", "values", "message"), BAD.values(), ids=BAD)
def test_what_cannot_be_written(row, values, message):
    fork = base().fork()
    with pytest.raises(InputError) as caught:
        fork.write(row, values)

    assert str(caught.value).startswith(message)
    assert fork.columns["free"].tolist() == [0, 10, 20, 30]


def test_a_write_that_failed_half_way_is_logged():
    fork = base().fork()
    with pytest.raises(InputError):
        fork.write(1, {"free": 5, "cards": "no"})

    assert fork.columns["free"].tolist() == [0, 5, 20, 30]
    assert fork.log.since(0, 9).tolist() == [1]


USES = {
    "write": lambda fork: fork.write(0, {"free": 1}),
    "look at a column": lambda fork: fork.columns["free"],
    "look at a static column": lambda fork: fork.columns["zone"],
    "gather": lambda fork: fork.gather(("free",), index(0)),
    "generation": lambda fork: fork.generation,
    "fork": lambda fork: fork.fork(),
    "hold": lambda fork: fork.hold(),
    "look below": lambda fork: fork.unless_written(),
}
MOVES = {
    "a write": lambda table: table.write(0, {"free": 1}),
    "a refresh": lambda table: table.refresh(rate=2.0),
    "rows gone": lambda table: table.remove(index(0)),
}


@pytest.mark.parametrize("move", MOVES.values(), ids=MOVES)
@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_once_the_base_has_moved_every_use_is_a_conflict(use, move):
    table = base()
    fork = table.fork()
    inner = fork.fork()
    use(fork)
    fork = table.fork()
    inner = fork.fork()
    move(table)

    for each in (fork, inner):
        with pytest.raises(
            ConflictError, match="fork: the table moved on under its fork; fork again and redo the plan"
        ):
            use(each)


def test_an_outer_fork_that_is_written_ends_the_inner_one():
    outer = base().fork()
    inner = outer.fork()
    outer.write(0, {"free": 1})

    with pytest.raises(ConflictError):
        inner.write(0, {"free": 2})
    outer.write(0, {"free": 3})


def test_a_table_without_state_can_be_forked():
    fork = Table(static={"zone": [1, 2]}).fork()
    fork.write(0, {})
    fork.write(1, {})

    assert fork.columns["zone"].tolist() == [1, 2]


def test_many_rows_at_once():
    table = base()
    fork = table.fork()
    fork.write(3, {"free": 5})
    fork.write_many(index(3, 0, 1), {"free": [7, 8, 9], "cards": [[1, 1], [2, 2], [3, 3]]})

    assert fork.columns["free"].tolist() == [8, 9, 20, 7]
    assert fork.columns["cards"].tolist() == [[2, 2], [3, 3], [0, 0], [1, 1]]
    assert sorted(fork.touched.tolist()) == [0, 1, 3]
    assert fork.log.since(1, 10).tolist() == [3, 0, 1]
    assert table.columns["free"].tolist() == [0, 10, 20, 30]


def test_of_a_row_that_is_written_twice_the_last_counts():
    fork = base().fork()
    fork.write_many(index(1, 1), {"free": [7, 8]})

    assert fork.columns["free"].tolist() == [0, 8, 20, 30]


def test_no_rows_are_no_write():
    fork = base().fork()
    version = fork.version
    fork.write_many(index(), {"free": []})

    assert (fork.version, fork.touched.tolist()) == (version, [])


MANY = {
    "a row before the first": (index(-1, 0), {"free": [1, 2]}, "fork: there is no row -1; rows are 0 to 3"),
    "a row behind the last": (index(0, 4), {"free": [1, 2]}, "fork: there is no row 4; rows are 0 to 3"),
    "a static column": (index(0), {"zone": [1]}, "only state columns can be written here, not \\['zone'\\]"),
    "too few values": (index(0, 1, 2), {"free": [1, 2]}, "fork.free: cannot take"),
}


@pytest.mark.parametrize(("rows", "values", "message"), MANY.values(), ids=MANY)
def test_many_that_cannot_be_written(rows, values, message):
    with pytest.raises(InputError, match=message):
        base().fork().write_many(rows, values)


def test_a_copy_is_written_apart():
    fork = base().fork()
    fork.write(2, {"free": 7})
    other = fork.copy()
    other.write(2, {"free": 8})
    fork.write(0, {"free": 1})

    assert fork.columns["free"].tolist() == [1, 10, 7, 30]
    assert other.columns["free"].tolist() == [0, 10, 8, 30]
    assert other.base is fork.base


def test_a_fork_becomes_a_table_of_its_own():
    table = Table(static={"zone": [1, 2, 3]}, state={"free": [10, 20, 30]}, keys=["a", "b", "c"])
    fork = table.fork()
    fork.write(1, {"free": 5})
    apart = fork.fork().apart()
    apart.write(2, {"free": 7})

    assert isinstance(apart, Table)
    assert apart.columns["free"].tolist() == [10, 5, 7]
    assert fork.columns["free"].tolist() == [10, 5, 30]
    assert table.columns["free"].tolist() == [10, 20, 30]


def test_a_fork_under_which_the_table_moved_on_cannot_become_one():
    table = Table(state={"free": [10, 20]})
    fork = table.fork()
    table.write(0, {"free": 9})

    with pytest.raises(ConflictError):
        fork.apart()


def test_while_nothing_is_written_the_table_below_says_the_same():
    table = base()
    outer = table.fork()
    inner = outer.fork()

    assert inner.unless_written() is table
    inner.write(0, {"free": 9})
    assert inner.unless_written() is inner
    assert outer.unless_written() is table


ROOM = {
    "the first row": ([1], 8),
    "eight rows fill the first room": ([1] * 8, 8),
    "the ninth doubles it": ([1] * 9, 16),
    "few at once": ([3], 8),
    "many at once take what they need": ([11], 11),
    "many that just fit": ([3, 5], 8),
    "many that do not fit double it": ([6, 3], 12),
    "many after a few take what they need": ([2, 11], 13),
    "one row after many": ([11, 1], 22),
}


@pytest.mark.parametrize(("writes", "room"), ROOM.values(), ids=ROOM)
def test_a_fork_keeps_room_for_the_rows_written_however_large_the_base(writes, room):
    fork = base(1000).fork()
    first = 0
    for count in writes:
        if count == 1:
            fork.write(first, {"free": -first})
        else:
            fork.write_many(np.arange(first, first + count), {"free": -np.arange(first, first + count)})
        first += count

    aside, _ = fork.at(0)
    assert {name: column.shape for name, column in aside.items()} == {"free": (room,), "cards": (room, 2)}
    assert fork.gather(("free",), np.arange(first))["free"].tolist() == [-row for row in range(first)]


def test_each_write_of_many_rows_is_one_version_more():
    table = base()
    table.write(0, {"free": 1})
    table.write(1, {"free": 1})
    fork = table.fork()
    fork.write_many(index(0, 1), {"free": [7, 8]})

    assert fork.version == table.version + 1


def test_a_fork_remembers_1024_changes():
    fork = base().fork()
    for _ in range(1025):
        fork.write(0, {"free": 1})

    assert fork.log.since(0, 2000) is None
    assert len(fork.log.since(512, 2000)) == 513


def test_values_that_do_not_fit_are_told_with_what_is_wrong_about_them():
    with pytest.raises(InputError) as caught:
        base().fork().write_many(index(0, 1, 2), {"free": [1, 2]})

    assert str(caught.value).startswith("fork.free: cannot take [1, 2]: shape mismatch: ")
