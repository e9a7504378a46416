"""A delta changes the cells that it names, in every kind of table, and no other."""

import pytest

from bayplan.framework.errors import InputError
from bayplan.framework.list_table import ListTable
from bayplan.framework.row_delta import RowDelta
from bayplan.framework.table import Table

STATE = {"free": [5, 6], "cards": [[1, 2, 3], [4, 5, 6]], "slices": [[[1, 1], [2, 2], [3, 3]]] * 2}


def delta(values, cells):
    made = RowDelta()
    made.values.update(values)
    for place, each in cells.items():
        made.at(place).update(each)
    return made


def table():
    return Table(static={"kind": [[1, 2], [3, 4]]}, state=STATE)


STORAGES = {
    "table": table,
    "fork": lambda: table().fork(),
    "fork of a fork": lambda: table().fork().fork(),
    "lists": lambda: ListTable(state=STATE),
}


def written(candidates, name, row):
    value = candidates.columns[name][row]
    return value.tolist() if hasattr(value, "tolist") else value


@pytest.mark.parametrize("make", STORAGES.values(), ids=STORAGES)
def test_only_the_named_cells_change(make):
    candidates = make()
    candidates.write(1, delta({"free": 9}, {2: {"cards": 60, "slices": [7, 8]}}))
    candidates.write(1, delta({}, {0: {"cards": 40}}))

    assert [written(candidates, "free", row) for row in (0, 1)] == [5, 9]
    assert [written(candidates, "cards", row) for row in (0, 1)] == [[1, 2, 3], [40, 5, 60]]
    assert written(candidates, "slices", 1) == [[1, 1], [2, 2], [7, 8]]


def test_a_fork_leaves_its_base_as_it_was():
    for base in (table(), ListTable(state=STATE)):
        base.fork().write(1, delta({"free": 9}, {2: {"cards": 60}}))

        assert written(base, "cards", 1) == [4, 5, 6]


def test_where_the_state_of_a_row_is():
    base = table()
    fork = base.fork()
    before = fork.at(1)
    fork.write(1, delta({}, {0: {"cards": 40}}))
    columns, line = fork.fork().at(1)

    assert before[0]["cards"][before[1]].tolist() == [4, 5, 6]
    assert columns["cards"][line].tolist() == [40, 5, 6]
    assert fork.at(0)[0]["cards"][fork.at(0)[1]].tolist() == [1, 2, 3]


def test_a_written_row_is_logged_once_and_static_cells_in_their_own_log():
    base = table()
    base.write(1, delta({"free": 9}, {2: {"cards": 60}, 0: {"cards": 1}}))
    assert (base.log.tick, base.static_log.tick) == (1, 0)

    base.write(1, delta({}, {0: {"kind": 7}}))
    assert (base.log.tick, base.static_log.tick) == (2, 1)


REFUSED = {
    "a place that is not there": (delta({}, {9: {"cards": 1}}), "cards"),
    "no such column": (delta({}, {0: {"nothing": 1}}), "nothing"),
    "a value that does not fit": (delta({}, {0: {"cards": "x"}}), "cards"),
}


def test_lists_refuse_a_column_that_is_not_there():
    with pytest.raises(InputError, match="nothing"):
        ListTable(state=STATE).write(0, REFUSED["no such column"][0])


@pytest.mark.parametrize("fork", [False, True])
@pytest.mark.parametrize(("wrong", "name"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_written_names_the_column(wrong, name, fork):
    candidates = table().fork() if fork else table()

    with pytest.raises(InputError, match=name):
        candidates.write(1, wrong)


def test_a_fork_takes_no_static_cells():
    with pytest.raises(InputError, match="only state columns"):
        table().fork().write(1, delta({}, {0: {"kind": 1}}))


def test_a_delta_on_a_value():
    change = delta({"free": 9}, {2: {"cards": 60}})

    assert change.on("free", 1) == 9
    assert change.on("cards", [1, 2, 3]) == [1, 2, 60]
    assert change.on("other", [1]) == [1]
    assert repr(change) == "RowDelta({'free': 9}, {2: {'cards': 60}})"
