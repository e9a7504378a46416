"""Refusals asked of one row of each kind: the same as asked of all rows."""

import numpy as np
import pytest

from bayplan.framework.evaluation import explain as explain_module
from bayplan.framework.evaluation.explain import explain
from bayplan.framework.plugins import Depends
from bayplan.framework.reasons import Reasons
from bayplan.framework.table import Table
from unit.framework.builders import Keeps, bound, cycle, roomy

ROWS = 600


def fleet():
    static = {"zone": np.arange(ROWS) % 3, "name": np.arange(ROWS)}
    return Table(static=static, state={"free": np.arange(ROWS) % 5})


class Full(Keeps):
    """Says two things of the rows that it refuses."""

    def __init__(self, backwards=False):
        super().__init__("full", ("free",), lambda ask, rows, cycle: rows.free > 9)
        self._step = -1 if backwards else 1

    def explain(self, ask, refused, cycle):
        places = np.flatnonzero(refused.free > 2)[:: self._step]
        codes = np.where(refused.free % 2, "odd", "even").tolist()
        return [
            Reasons(
                codes, curable=(refused.free > 1).tolist(), needed=9, free=refused.free.tolist(), half=refused.free
            ),
            Reasons("large", needed=1.5, free=refused.free[places], places=places, text="has {free}"),
        ]


def zoned():
    return Keeps("zoned", ("zone",), lambda ask, rows, cycle: rows.zone != 1)


def told(table, *plugins):
    made = explain(bound(*plugins, static=("zone", "name")), table, "ask", cycle(), scored=False)
    return [
        (
            each.filter,
            np.asarray(each.rows).tolist(),
            [(row, why.as_dict(), dict(why.details or {})) for row, why in each],
            each.reasons.misses(len(each.rows)).tolist(),
            each.reasons.curables(len(each.rows)).tolist(),
            [(said, places.tolist()) for said, places in each.reasons.said(len(each.rows))],
        )
        for each in made.refusals
    ], np.asarray(made.survivors).tolist()


PLUGINS = {
    "one code": lambda: [zoned()],
    "several things of a row": lambda: [Full()],
    "reasons in another order": lambda: [Full(backwards=True)],
    "several filters": lambda: [zoned(), Full(), roomy(least=2)],
    "rows that are told apart": lambda: [Keeps("named", ("name",), lambda ask, rows, cycle: rows.name > 5)],
    "rows that are compared": lambda: [
        zoned(),
        Keeps("best", ("free",), lambda ask, rows, cycle: rows.free == rows.free.max(), Depends.TABLE),
    ],
}


@pytest.mark.parametrize("plugins", PLUGINS.values(), ids=PLUGINS)
@pytest.mark.parametrize("forked", [False, True], ids=["a table", "a fork"])
def test_the_same_refusals(plugins, forked, monkeypatch):
    table = fleet()
    if forked:
        table = table.fork()
        table.write(7, {"free": 77})
        table.write(11, {"free": 1})
    folded = told(table, *plugins())
    monkeypatch.setattr(explain_module, "one_of_each", lambda binding, table, ask, cycle: None)

    assert folded == told(table, *plugins())


def test_one_row_of_each_kind_is_shown():
    filters = [zoned(), roomy(least=9)]
    explain(bound(*filters), fleet(), "ask", cycle(), scored=False)

    assert [each.shown for each in filters] == [[15], [15]]


def test_columns_that_nobody_reads_in_a_cycle_tell_no_rows_apart():
    named = Keeps("named", ("name",), lambda ask, rows, cycle: np.zeros(rows.size, np.bool_), Depends.CYCLE)
    named.unread_in_cycle = lambda ask, cycle: ("name",) if cycle.now == 0 else ()
    binding = bound(zoned(), named, static=("zone", "name"))
    for now in (0.0, 1.0):
        explain(binding, fleet(), "ask", cycle(now=now), scored=False)

    assert named.shown == [3, ROWS]
