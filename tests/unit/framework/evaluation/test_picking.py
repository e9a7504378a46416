import numpy as np
import pytest

from bayplan.framework.errors import HandlerError, InputError, PickerError, PluginError
from bayplan.framework.evaluation.picking import guarded
from bayplan.framework.list_table import ListTable
from bayplan.framework.plugins import Resolution, Want
from bayplan.framework.table import Table
from unit.framework.builders import Books, Keeps, Picks, Scores, rows_of, scheduler, table

STORAGES = pytest.mark.parametrize("kind", [Table, ListTable])


def freest():
    return Scores("freest", ("free",), lambda ask, rows, cycle: np.array(rows.free) / 10)


def not_one():
    return Keeps("not-one", ("free",), lambda ask, rows, cycle: np.array(rows.free) != 1)


def boom(*_):
    raise ZeroDivisionError("by three")


BAD = {
    "no row": ([], Want(), "picked no row though some are left"),
    "nothing at all": (None, Want(), "picked None where rows were asked for"),
    "a fraction": ([1.5], Want(), "picked [1.5] where rows were asked for"),
    "a name": (["a"], Want(), "picked ['a'] where rows were asked for"),
    "a row that is not there": ([3], Want(), "picked a row that is not there: 3"),
    "a negative row": ([-1], Want(), "picked a row that is not there: -1"),
    "a refused row": ([1], Want(), "picked a refused row: 1"),
    "one twice": ([0, 0], Want(2), "picked rows [0, 0] where at most 2 are wanted, each once"),
    "too many": ([0, 2], Want(), "picked rows [0, 2] where at most 1 are wanted, each once"),
    "too few": ([0], Want(2, 2), "picked 1 rows where at least 2 are wanted"),
    "it raises": (boom, Want(), "raised ZeroDivisionError: by three"),
}


@STORAGES
@pytest.mark.parametrize(("rows", "want", "message"), BAD.values(), ids=BAD)
def test_a_picker_that_breaks_its_promise_is_named(kind, rows, want, message):
    with pytest.raises(PickerError) as caught:
        scheduler(not_one(), picker=Picks(rows), on=table(kind=kind)).schedule("s", want=want)

    assert (caught.value.plugin, caught.value.message) == ("told", message)


@STORAGES
def test_rows_may_come_in_any_form_of_integers(kind):
    outcome = scheduler(picker=Picks(np.array([2, 0])), on=table(kind=kind)).schedule("s", want=Want(2))

    assert [(pick.row, type(pick.row), pick.key) for pick in outcome.picked] == [(2, int, "c"), (0, int, "a")]


@STORAGES
def test_fewer_than_desired_will_do_if_they_are_enough(kind):
    assert rows_of(scheduler(picker=Picks([2]), on=table(kind=kind)).schedule("s", want=Want(3, 1))) == [2]


@STORAGES
def test_a_picker_is_never_called_when_none_are_left(kind):
    nobody = Keeps("f", ("free",), lambda ask, rows, cycle: np.array(rows.free) > 9)

    assert not scheduler(nobody, picker=Picks(boom), on=table(kind=kind)).schedule("s").ok


WANTS = {
    "one": (Want(), "picked", [0]),
    "two": (Want(2), "picked", [0, 2]),
    "more than there are": (Want(9), "picked", [0, 2, 1]),
    "at least as many as there are": (Want(9, 3), "picked", [0, 2, 1]),
    "at least more": (Want(9, 4), "too-few", []),
    "of one zone": (Want(2, 1, "zone"), "picked", [0, 1]),
    "of one zone that has enough": (Want(2, 2, "zone"), "picked", [0, 1]),
    "one of one zone": (Want(1, 1, "zone"), "picked", [0]),
    "no zone has enough": (Want(3, 3, "zone"), "too-few", []),
    "nothing": (Want(0), "picked", []),
    "nothing, at least nothing": (Want(0, 0), "picked", []),
    "nothing of one zone": (Want(0, group="zone"), "picked", []),
}


@STORAGES
@pytest.mark.parametrize(("want", "status", "rows"), WANTS.values(), ids=WANTS)
def test_wants(kind, want, status, rows):
    outcome = scheduler(freest(), on=table(kind=kind)).schedule("s", want=want)

    assert (outcome.results["p"].status, rows_of(outcome)) == (status, rows)
    assert [pick.total for pick in outcome.picked] == [(3, 1, 2)[row] / 10 for row in rows]
    assert [pick.terms[0].score for pick in outcome.picked] == [(3, 1, 2)[row] / 10 for row in rows]


@STORAGES
def test_to_want_nothing_succeeds_where_nothing_fits(kind):
    nobody = Keeps("f", ("free",), lambda ask, rows, cycle: np.array(rows.free) > 9)
    mine = scheduler(nobody, picker=Picks(boom), resolver=Books(), on=table(kind=kind))

    outcome = mine.schedule("s", want=Want(0))

    assert (outcome.ok, outcome.picked, outcome.explanations) == (True, (), {})
    assert not mine.schedule("s").ok


@STORAGES
def test_there_must_be_a_column_to_group_by(kind):
    with pytest.raises(InputError, match=r"want.group: there is no column 'rack' to group by; there are: free, zone"):
        scheduler(on=table(kind=kind)).schedule("s", want=Want(2, 1, "rack"))


@pytest.mark.parametrize(("desired", "minimum"), [(1, 0), (0, 2), (1, 2), (-1, -1), (0, -1), (-1, 1)])
def test_what_cannot_be_wanted(desired, minimum):
    with pytest.raises(InputError) as caught:
        Want(desired, minimum)

    assert caught.value.place.startswith("want")
    assert caught.value.next


@STORAGES
def test_each_picked_row_is_resolved(kind):
    outcome = scheduler(freest(), resolver=Books(), on=table(kind=kind)).schedule("s", want=Want(2))

    assert [pick.resolution for pick in outcome.picked] == [
        Resolution("a:2", {0: {"free": 2}}),
        Resolution("c:1", {2: {"free": 1}}),
    ]
    assert scheduler(freest(), on=table(kind=kind)).schedule("s").picked[0].resolution is None


class Resolves:
    name = "mine"

    def __init__(self, answer):
        self._answer = answer

    def resolve(self, ask, table, row, cycle):
        return self._answer(ask, table, row, cycle) if callable(self._answer) else self._answer


@pytest.mark.parametrize(
    ("answer", "message"),
    [(None, "resolved row 0 to no Resolution"), (boom, "raised ZeroDivisionError: by three")],
)
def test_a_resolver_that_breaks_its_promise_is_named(answer, message):
    with pytest.raises(PluginError) as caught:
        scheduler(freest(), resolver=Resolves(answer)).schedule("s")

    assert (caught.value.plugin, caught.value.message) == ("mine", message)


def test_guarded_lets_typed_errors_through():
    def refuse(value):
        raise InputError(value)

    assert guarded(HandlerError, "mine", int, "7") == 7
    with pytest.raises(InputError, match="mine"):
        guarded(HandlerError, "other", refuse, "mine")
    with pytest.raises(HandlerError, match="plugin other: raised ZeroDivisionError: by three"):
        guarded(HandlerError, "other", boom)
