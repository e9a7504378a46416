import pytest

from bayplan.framework.errors import InputError
from bayplan.framework.list_table import ListTable


def table(**more):
    return ListTable(static={"zone": ("a", "b")}, state={"free": [1, 2]}, shared={"rate": 1}, **more)


def test_columns_are_lists_of_its_own():
    mine = [1, 2]
    held = ListTable(state={"free": mine})
    mine[0] = 9

    assert held.columns == {"free": [1, 2]}
    assert (held.keys, held.size, held.shared) == (["0", "1"], 2, {})
    assert table(keys=("x", "y")).keys == ["x", "y"]
    assert table().schema.static == {"zone"}


WRONG = {
    "a name twice": ({"static": {"a": [1]}, "state": {"a": [1]}}, "table: one name is used for two kinds of column"),
    "unequal lengths": (
        {"static": {"a": [1], "b": []}},
        "table.b: has 0 rows where the table has 1; give each row one",
    ),
    "keys of another length": ({"state": {"a": [1]}, "keys": ["x", "y"]}, "table.a: has 1 rows where the table has 2"),
}


@pytest.mark.parametrize(("columns", "message"), WRONG.values(), ids=WRONG)
def test_what_is_no_table_is_refused(columns, message):
    with pytest.raises(InputError) as caught:
        ListTable(**columns)

    assert str(caught.value).startswith(message)


def test_write_and_refresh_count_versions():
    held = table()
    assert held.version == 0
    held.write(1, {"free": 7, "zone": "z"})
    held.refresh(rate=2)

    assert held.columns == {"zone": ["a", "z"], "free": [1, 7]}
    assert held.shared == {"rate": 2}
    assert held.version == 2


def test_whole_columns_are_replaced_by_copies():
    held, brought = table(), (5, 6)
    scraped = list(brought)
    held.replace({"free": scraped, "zone": ("x", "y")})
    scraped[0] = 9

    assert (held.columns, held.version) == ({"zone": ["x", "y"], "free": [5, 6]}, 1)


def test_tables_with_the_same_columns_have_one_schema():
    other = ListTable(static={"zone": ["c"]}, state={"free": [9]}, shared={"rate": 5})

    assert other.schema is table().schema
    assert ListTable(static={"free": [9]}, state={"zone": ["c"]}, shared={"rate": 5}).schema != table().schema


BAD = {
    "no such row": (lambda held: held.write(2, {"free": 1}), "table: there is no row 2; rows are 0 to 1"),
    "a negative row": (lambda held: held.write(-1, {"free": 1}), "table: there is no row -1; rows are 0 to 1"),
    "no such column": (
        lambda held: held.write(0, {"free": 9, "fee": 1}),
        "table.fee: is no column of this table; there",
    ),
    "a column of another length": (
        lambda held: held.replace({"zone": ["x", "y"], "free": [7]}),
        "table.free: has 1 rows where the table has 2; give each row one value",
    ),
    "no such column to replace": (
        lambda held: held.replace({"free": [7, 8], "fee": [1, 2]}),
        "table.fee: is no column of this table; there",
    ),
    "no such shared value": (lambda held: held.refresh(fee=1), "table.fee: is not a shared value of this table; there"),
}


@pytest.mark.parametrize(("change", "message"), BAD.values(), ids=BAD)
def test_what_cannot_be_written(change, message):
    held = table()
    with pytest.raises(InputError) as caught:
        change(held)

    assert str(caught.value).startswith(message)
    assert (held.version, held.shared) == (0, {"rate": 1})
    assert held.columns == {"zone": ["a", "b"], "free": [1, 2]}


def test_a_fork_is_written_without_its_base():
    held = table(keys=["x", "y"])
    held.write(0, {"free": 5})
    fork = held.fork()
    fork.write(0, {"free": 0})
    fork.refresh(rate=9)

    assert (held.columns["free"], held.shared) == ([5, 2], {"rate": 1})
    assert (fork.columns["free"], fork.shared) == ([0, 2], {"rate": 9})
    assert (fork.keys, fork.schema, fork.version) == (["x", "y"], held.schema, 3)
