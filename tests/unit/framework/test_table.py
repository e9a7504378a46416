import numpy as np
import pytest

from bayplan.framework.errors import InputError, PluginError
from bayplan.framework.list_table import ListTable
from bayplan.framework.table import Table
from unit.framework.builders import index


def table(**more):
    return Table(
        static={"zone": ["a", "b", "c"]}, state={"free": [1, 2, 3], "cards": np.zeros((3, 2), np.int64)}, **more
    )


def ticks(table):
    return table.log.tick, table.static_log.tick, table.version


def test_columns_are_copies_that_cannot_be_written_through():
    mine = np.array([1, 2])
    held = Table(state={"free": mine})
    mine[0] = 9

    assert held.columns["free"].tolist() == [1, 2]
    with pytest.raises(ValueError, match="read-only"):
        held.columns["free"][0] = 5


def test_two_dimensional_columns_are_c_contiguous_and_stay_so():
    held = Table(state={"cards": np.asfortranarray(np.arange(12).reshape(4, 3))})
    assert held.columns["cards"].flags.c_contiguous
    held.add(["x"], {"cards": [[7, 8, 9]]})
    held.remove(index(0))
    assert held.columns["cards"].flags.c_contiguous
    assert held.columns["cards"].tolist() == [[3, 4, 5], [6, 7, 8], [9, 10, 11], [7, 8, 9]]


def test_rows_are_numbered_unless_they_have_keys():
    assert table().keys == ["0", "1", "2"]
    assert table(keys=["x", "y", "z"]).keys == ["x", "y", "z"]
    assert Table().keys == []
    assert Table(keys=["x"]).size == 1


def test_text_written_later_is_never_cut_off():
    held = table()
    held.write(0, {"zone": "a much longer name"})
    held.write_many(index(1), {"zone": ["another long one"]})
    held.add(["d"], {"zone": ["the longest of them all"], "free": [1], "cards": [[0, 0]]})

    assert held.columns["zone"].tolist() == ["a much longer name", "another long one", "c", "the longest of them all"]


WRONG = {
    "a name twice": ({"static": {"a": [1]}, "state": {"a": [1]}}, "table: one name is used for two kinds of column"),
    "unequal lengths": (
        {"static": {"a": [1], "b": [1, 2]}},
        "table.b: has 2 rows where the table has 1; give each row",
    ),
    "keys of another length": ({"state": {"a": [1]}, "keys": []}, "table.a: has 1 rows where the table has 0"),
    "one value": ({"state": {"a": 7}}, "table.a: is one value, 7; give each row one value"),
    "ragged": ({"state": {"a": [[1], [1, 2]]}}, "table.a: cannot be a column: "),
    "no identifier": ({"shared": {"a-b": 1}}, "'a-b': is no name for a column"),
}


@pytest.mark.parametrize(("columns", "message"), WRONG.values(), ids=WRONG)
def test_what_is_no_table_is_refused(columns, message):
    with pytest.raises(InputError) as caught:
        Table(**columns)

    assert str(caught.value).startswith(message)


def test_rows_shows_whole_columns_or_gathered_ones():
    held = table(shared={"rate": 0.5})
    whole = held.rows(["free", "rate"])
    some = held.rows(("zone", "free"), index(2, 0, 2))

    assert (whole.size, whole.free.tolist(), whole.rate) == (3, [1, 2, 3], 0.5)
    assert (some.size, some.free.tolist(), some.zone.tolist()) == (3, [3, 1, 3], ["c", "a", "c"])
    assert held.rows((), index(0, 1)).size == 2


def test_gather_copies():
    held = table()
    got = held.gather(("free", "cards"), index(1))
    got["free"][0] = 99
    got["cards"][0, 0] = 99

    assert held.columns["free"].tolist() == [1, 2, 3]
    assert held.columns["cards"].sum() == 0


def test_what_is_gathered_is_c_contiguous_too():
    """Sums along another layout would differ between some rows and all rows."""
    held = Table(state={"cards": np.asfortranarray(np.random.default_rng(1).random((50, 8)))})

    for rows in ([3], [7, 1, 7], list(range(50))):
        assert held.gather(("cards",), np.array(rows))["cards"].flags.c_contiguous


def test_a_written_state_column_is_logged_once():
    held = table()
    before = ticks(held)
    held.write(2, {"free": 7, "cards": [4, 5]})

    assert held.columns["free"].tolist() == [1, 2, 7]
    assert held.columns["cards"].tolist() == [[0, 0], [0, 0], [4, 5]]
    assert ticks(held) == (before[0] + 1, before[1], before[2] + 1)
    assert held.log.since(before[0], 9).tolist() == [2]
    assert held.versions.tolist() == [before[2], before[2], held.version]


def test_a_written_static_column_is_logged_in_both_logs():
    held = table()
    held.write(1, {"free": 0, "zone": "z"})
    held.write(0, {"zone": "y", "free": 5})

    assert (held.log.tick, held.static_log.tick) == (2, 2)
    assert held.static_log.since(0, 9).tolist() == [1, 0]


def test_writing_nothing_counts_as_a_write():
    held = table()
    held.write(0, {})

    assert (held.log.tick, held.static_log.tick) == (1, 0)


BAD_WRITES = {
    "no such row": (3, {"free": 1}, "table: there is no row 3; rows are 0 to 2"),
    "a negative row": (-1, {"free": 1}, "table: there is no row -1; rows are 0 to 2"),
    "no such column": (0, {"fee": 1}, "table.fee[0]: is no column of this table; there are: cards, free, zone"),
    "no number": (0, {"free": "x"}, "table.free[0]: cannot take 'x': "),
    "nothing": (0, {"free": None}, "table.free[0]: cannot take None: "),
    "too large": (0, {"free": 1 << 80}, f"table.free[0]: cannot take {1 << 80}: "),
    "wrong width": (1, {"cards": [1, 2, 3]}, "table.cards[1]: cannot take [1, 2, 3]: "),
}


@pytest.mark.parametrize(("row", "values", "message"), BAD_WRITES.values(), ids=BAD_WRITES)
def test_what_cannot_be_written(row, values, message):
    held = table()
    with pytest.raises(InputError) as caught:
        held.write(row, values)

    assert str(caught.value).startswith(message)
    assert held.columns["free"].tolist() == [1, 2, 3]


def test_a_write_that_failed_half_way_is_logged_for_what_is_in():
    held = table()
    with pytest.raises(InputError):
        held.write(1, {"free": 9, "zone": "z", "cards": "no"})

    assert held.columns["free"].tolist() == [1, 9, 3]
    assert (held.log.tick, held.static_log.tick) == (1, 1)
    assert held.versions[1] == held.version


def test_write_many():
    held = table()
    before = held.version
    held.write_many(index(2, 0), {"free": [30, 10]})

    assert held.columns["free"].tolist() == [10, 2, 30]
    assert (held.log.tick, held.static_log.tick, held.version) == (2, 0, before + 1)
    assert held.versions.tolist() == [held.version, before, held.version]

    held.write_many([1], {"zone": ["z"]})
    assert held.columns["zone"].tolist() == ["a", "z", "c"]
    assert held.static_log.since(0, 9).tolist() == [1]

    held.write_many([], {"free": []})
    assert (held.log.tick, held.static_log.tick) == (3, 1)


BAD_INDEX = {
    "beyond the end": ([0, 3], "table: there is no row 3; rows are 0 to 2"),
    "before the start": ([-1], "table: there is no row -1; rows are 0 to 2"),
    "a mask": ([True, False, True], "table: wants the numbers of rows; turn a mask over with np.flatnonzero"),
    "a float": ([0.5], "table: wants the numbers of rows"),
    "two-dimensional": ([[0]], "table: wants the numbers of rows"),
}


@pytest.mark.parametrize(("rows", "message"), BAD_INDEX.values(), ids=BAD_INDEX)
def test_rows_that_are_not_there_are_neither_written_nor_removed(rows, message):
    held = table()
    before = ticks(held)
    for change in (lambda: held.write_many(rows, {"free": 0}), lambda: held.remove(rows)):
        with pytest.raises(InputError) as caught:
            change()
        assert str(caught.value).startswith(message)

    assert ticks(held) == before
    assert held.columns["free"].tolist() == [1, 2, 3]


def test_a_failed_write_of_many_is_logged_for_what_is_in():
    held = table()
    with pytest.raises(InputError, match=r"table.cards: cannot take 'no': "):
        held.write_many(index(0, 2), {"free": [8, 8], "cards": "no"})

    assert held.columns["free"].tolist() == [8, 2, 8]
    assert (held.log.tick, held.static_log.tick) == (2, 2)
    assert held.versions[[0, 2]].tolist() == [held.version] * 2
    with pytest.raises(InputError, match=r"table.fee: is no column of this table; there are: "):
        held.write_many(index(0), {"fee": [1]})


def test_refresh_begins_an_epoch_for_what_was_refreshed():
    held = table(shared={"rate": 1.0, "cap": 2.0})
    old, before = held.shared, held.version
    held.refresh(rate=3.0)

    assert held.shared == {"rate": 3.0, "cap": 2.0}
    assert old == {"rate": 1.0, "cap": 2.0}
    assert held.epochs == {"rate": 1, "cap": 0}
    assert held.version == before + 1
    with pytest.raises(
        InputError, match=r"table.rat: is not a shared value of this table; there are: cap, cards, free"
    ):
        held.refresh(rate=4.0, rat=1)
    assert held.shared["rate"] == 3.0


def test_added_rows_come_last_and_begin_a_generation():
    held = table(keys=["a", "b", "c"])
    generation, version = held.generation, held.version
    held.add(["d", "e"], {"zone": ["d", "e"], "free": [4, 5], "cards": [[1, 1], [2, 2]]})

    assert held.keys == ["a", "b", "c", "d", "e"]
    assert held.columns["free"].tolist() == [1, 2, 3, 4, 5]
    assert (held.generation, held.version) == (generation + 1, version + 1)
    assert held.versions.tolist() == [held.version] * 5


BAD_ADDS = {
    "a column is missing": (["d"], {"free": [1]}, "table: new rows need ['cards', 'zone'] too"),
    "an unknown column": (
        ["d"],
        {"free": [1], "zone": ["d"], "cards": [[0, 0]], "fee": [1]},
        "table: there is no column",
    ),
    "too few values": (["d", "e"], {"free": [1], "zone": ["d", "e"], "cards": [[0, 0]] * 2}, "table.free: has 4 rows"),
    "no number": (["d"], {"free": ["x"], "zone": ["d"], "cards": [[0, 0]]}, "table.free: cannot take ['x']: "),
    "wrong width": (
        ["d"],
        {"free": [1], "zone": ["d"], "cards": [[0, 0, 0]]},
        "table.cards: cannot take [[0, 0, 0]]: ",
    ),
}


@pytest.mark.parametrize(("keys", "values", "message"), BAD_ADDS.values(), ids=BAD_ADDS)
def test_rows_that_do_not_fit_leave_the_table_as_it_was(keys, values, message):
    held = table()
    before = ticks(held), held.generation
    with pytest.raises(InputError) as caught:
        held.add(keys, values)

    assert str(caught.value).startswith(message)
    assert (ticks(held), held.generation) == before
    assert held.keys == ["0", "1", "2"]
    assert {len(column) for column in held.columns.values()} == {3}


def test_removed_rows_make_the_others_move_up():
    held = table(keys=["a", "b", "c"])
    generation = held.generation
    held.remove(index(0, 2))

    assert held.keys == ["b"]
    assert {name: column.tolist() for name, column in held.columns.items()} == {
        "zone": ["b"],
        "free": [2],
        "cards": [[0, 0]],
    }
    assert held.generation == generation + 1
    assert len(held.versions) == 1


def test_errors_say_the_reason_and_the_next_step():
    held = table()
    for change in (
        lambda: held.write(0, {"free": "x"}),
        lambda: held.write_many(index(0), {"free": ["x"]}),
        lambda: held.add(["d"], {"free": ["x"], "zone": ["d"], "cards": [[0, 0]]}),
        lambda: held.fork().write(0, {"free": "x"}),
    ):
        with pytest.raises(InputError) as caught:
            change()
        assert "invalid literal" in caught.value.message
        assert caught.value.next == "give a value like the column's others"
    with pytest.raises(InputError, match=r"there are: cards, free, zone$"):
        held.add(["d"], {"free": [1], "zone": ["d"], "cards": [[0, 0]], "fee": [1]})


def test_every_refresh_is_an_epoch_of_its_own():
    held = table(shared={"rate": 1.0})
    held.refresh(rate=2.0)
    held.refresh(rate=3.0)

    assert held.epochs == {"rate": 2}


def test_unsigned_rows_will_do():
    held = table()
    held.write_many(np.array([1], np.uint8), {"free": [9]})

    assert held.columns["free"].tolist() == [1, 9, 3]


def test_a_callers_undeclared_read_is_named():
    with pytest.raises(PluginError, match="plugin the caller: reads column 'zone'"):
        _ = table().rows(["free"]).zone


@pytest.mark.parametrize("kind", [Table, ListTable])
def test_constants_are_shown_and_never_refreshed(kind):
    held = kind(static={"zone": [0, 1]}, shared={"rate": 2}, constants={"names": ("a", "b")})

    assert held.shared == {"rate": 2, "names": ("a", "b")}
    held.refresh(rate=3)
    with pytest.raises(InputError, match="is not a shared value of this table"):
        held.refresh(names=())


@pytest.mark.parametrize("kind", [Table, ListTable])
def test_a_value_is_shared_or_constant(kind):
    with pytest.raises(InputError, match="is both a shared value and a constant"):
        kind(static={"zone": [0]}, shared={"names": 1}, constants={"names": 2})


def test_a_table_apart_has_a_state_of_its_own():
    held = table(keys=["x", "y", "z"], shared={"price": 3})
    held.write(0, {"free": 7})
    other = held.apart()
    other.write(1, {"free": 9})
    held.write(2, {"free": 8})

    assert other.columns["free"].tolist() == [7, 9, 3]
    assert held.columns["free"].tolist() == [7, 2, 8]
    assert (other.keys, other.shared, other.schema) == (held.keys, held.shared, held.schema)


def test_a_table_apart_shares_its_static_columns_and_cannot_write_them():
    held = table()
    other = held.apart()

    assert np.shares_memory(other.columns["zone"], held.columns["zone"])
    with pytest.raises(InputError, match="zone"):
        other.write(0, {"zone": "d"})
    assert held.columns["zone"].tolist() == ["a", "b", "c"]


def test_an_epoch_of_a_table_apart_is_its_own():
    held = table(shared={"price": 3})
    other = held.apart()
    other.refresh(price=4)

    assert (held.shared["price"], held.epochs["price"]) == (3, 0)
    assert (other.shared["price"], other.epochs["price"]) == (4, 1)
