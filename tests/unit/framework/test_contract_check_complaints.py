"""Plugins that break their promises are caught, each with its complaint."""

from __future__ import annotations

import numpy as np
import pytest

from bayplan.framework.contract_check import assert_contract, check_plugin, in_other_storage
from bayplan.framework.cycle import Key
from bayplan.framework.list_table import ListTable
from bayplan.framework.plugins import SKIP, Depends
from bayplan.framework.reasons import Reasons
from bayplan.framework.table import Table
from unit.framework.contract_plugins import ASKS, COLUMNS, Ask, Enough, Full, Sums, Two, arrays, lists


def bad(base, **attributes):
    return type("Bad", (base,), attributes)()


def masking(function):
    return bad(Enough, mask=lambda self, ask, rows, cycle: function(ask, rows))


def scoring(function):
    return bad(Full, score=lambda self, ask, rows, cycle: function(ask, rows))


def explaining(function):
    return bad(Enough, explain=lambda self, ask, rows, cycle: function(ask, rows))


class Counting(Full):
    def __init__(self):
        self.calls = 0

    def score(self, ask, rows, cycle):
        self.calls += 1
        return np.full(rows.size, float(self.calls))


class Lingering(Enough):
    """Still thinks of the ask before."""

    last = Ask(0)

    def mask(self, ask, rows, cycle):
        before, self.last = self.last, ask
        return rows.free >= max(ask.need, before.need)


class Mutable:
    def __init__(self, need):
        self.need = need

    def __eq__(self, other):
        return self.need == other.need

    __hash__ = object.__hash__


class Growing(Mutable):
    def __hash__(self):
        return 1


def grow(self, ask, rows, cycle):
    ask.need += 1
    return rows.free >= 0


def scribble(self, ask, rows, cycle):
    rows.free[:] = [0] * len(rows.free)
    return [True] * len(rows.free)


BAD = {
    "nothing at all": (
        bad(object),
        arrays(),
        "it is no producer, filter or scorer: it has none of their methods",
    ),
    "no name": (
        bad(Enough, name=None),
        arrays(),
        "it has no `name`",
    ),
    "no reads": (
        bad(Enough, reads="free"),
        arrays(),
        "its `reads` is 'free', not a tuple of column names",
    ),
    "no produces": (
        bad(Sums, produces=None),
        arrays(),
        "its `produces` is None, not a tuple of column names",
    ),
    "absent column": (
        bad(Enough, reads=("x",)),
        arrays(),
        "it reads ['x'], which this table does not have",
    ),
    "undeclared": (
        bad(Enough, reads=("total",)),
        arrays(),
        "reads column 'free', which it did not declare; add 'free'",
    ),
    "looks at cycle": (
        bad(Enough, mask=lambda self, ask, rows, cycle: rows.free > cycle.now),
        arrays(),
        "looks at cycle.now, but its answers are kept",
    ),
    "raises": (
        masking(lambda ask, rows: 1 / 0),
        arrays(),
        "raised ZeroDivisionError",
    ),
    "wrong shape": (
        masking(lambda ask, rows: np.ones(3, bool)),
        arrays(),
        "answered an array of bool (3,)",
    ),
    "wrong dtype": (
        masking(lambda ask, rows: rows.free),
        arrays(),
        "where a mask of 5 booleans was asked for",
    ),
    "no numbers": (
        scoring(lambda ask, rows: ["a"] * len(rows)),
        lists(),
        "answered what is no number",
    ),
    "NaN": (
        scoring(lambda ask, rows: rows.free * np.nan),
        arrays(),
        "answered NaN for 5 of 5 rows",
    ),
    "out of range": (
        bad(Full, scale=1),
        arrays(),
        "it left [0, 1] on 4 of 5 rows, which are clamped",
    ),
    "below range": (
        scoring(lambda ask, rows: rows.free - 5.0),
        arrays(),
        "it left [0, 100] on 3 of 5 rows",
    ),
    "other rows": (
        masking(lambda ask, rows: rows.free >= rows.free.max(initial=0)),
        arrays(),
        "alone, it says something else than among all rows; declare `depends = Depends.TABLE`",
    ),
    "a row's place": (
        scoring(lambda ask, rows: np.arange(rows.size) / 5),
        arrays(),
        "it says something else than among all rows",
    ),
    "no rows": (
        masking(lambda ask, rows: rows.free >= max(0, rows.free[0] - 9)),
        arrays(),
        "raised IndexError",
    ),
    "state": (
        Counting(),
        arrays(),
        "asked again, it answers differently; declare `depends = Depends.CYCLE`",
    ),
    "an ask lingers": (
        Lingering(),
        arrays(),
        "asked again, it answers differently",
    ),
    "code not kebab": (
        explaining(lambda ask, rows: Reasons("Too Small")),
        arrays(),
        "explain's code 'Too Small' is not kebab-case",
    ),
    "no code": (
        explaining(lambda ask, rows: Reasons("")),
        arrays(),
        "explain's code '' is not kebab-case",
    ),
    "it would fit": (
        explaining(lambda ask, rows: Reasons("small", needed=3, free=3)),
        arrays(),
        "explain says that a refused row needs 3 and has 3: that would fit",
    ),
    "too few reasons": (
        explaining(lambda ask, rows: Reasons("small", needed=[9])),
        arrays(),
        "explained 3 rows with 1 values of 'needed'",
    ),
    "no reasons": (
        explaining(lambda ask, rows: "small"),
        arrays(),
        "explained with a str where Reasons are expected",
    ),
    "explain raises": (
        explaining(lambda ask, rows: 1 / 0),
        arrays(),
        "raised ZeroDivisionError in explain",
    ),
    "text not rendered": (
        explaining(lambda ask, rows: Reasons("small", text="{colour}")),
        arrays(),
        "explain's text cannot be rendered: KeyError: 'colour'",
    ),
    "writes to a list": (
        bad(Enough, mask=scribble),
        lists(),
        "it writes to the columns that it is shown",
    ),
    "writes to arrays": (
        bad(Enough, mask=scribble),
        arrays(),
        "raised ValueError: assignment destination is read-only",
    ),
    "not in both": (
        bad(Enough, storages=("arrays", "lists")),
        arrays(),
        "in the other storage it raised TypeError",
    ),
    "differs in both": (
        bad(Two, mask=lambda self, ask, rows, cycle: np.asarray(rows.free) > ask.need + 5 * (type(rows.free) is list)),
        arrays(),
        "it answers differently over arrays and over lists",
    ),
    "makes what is there": (
        bad(Sums, produces=("free",)),
        arrays(),
        "'sums' produces 'free', and so does the table",
    ),
    "lacks a column": (
        bad(Sums, produce=lambda self, ask, rows, cycle: {"sum": rows.cards.sum(1)}),
        arrays(),
        "answered nothing for 'ratio' where 5 rows were asked for",
    ),
}


@pytest.mark.parametrize(("plugin", "table", "complaint"), BAD.values(), ids=BAD)
def test_a_bad_plugin_is_caught(plugin, table, complaint):
    complaints = check_plugin(plugin, table, ASKS)

    assert any(complaint in each for each in complaints), complaints
    named = [each for each in complaints if each.startswith("ask ")]
    assert all(each.startswith(tuple(f"ask {ask!r}: " for ask in ASKS)) for each in named), complaints
    with pytest.raises(AssertionError, match="breaks its contract"):
        assert_contract(plugin, table, ASKS)


def test_asks_that_are_not_frozen_values():
    complaints = check_plugin(Enough(), arrays(), [Mutable(3)])

    assert any("a copy of this ask is not equal to it" in each for each in complaints), complaints


def test_an_ask_that_is_changed():
    assert "it changes the ask" in check_plugin(bad(Enough, mask=grow), arrays(), [Growing(3)])


def test_the_same_complaint_is_made_once():
    complaints = check_plugin(masking(lambda ask, rows: 1 / 0), arrays(), [Ask(1), Ask(1)])

    assert len(complaints) == 1


def test_the_seed_chooses_the_subsets():
    plugin = bad(
        Enough, mask=lambda self, ask, rows, cycle: rows.free >= rows.free.mean() if rows.size else rows.free > 0
    )
    one, same, other = (check_plugin(plugin, arrays(), [Ask(1)], seed=seed) for seed in (1, 1, 2))

    assert one == same != other


def test_the_other_storage_holds_the_same():
    other = in_other_storage(arrays())

    assert isinstance(other, ListTable)
    assert other.columns["cards"] == COLUMNS["cards"]
    assert (other.schema, other.shared, other.keys) == (arrays().schema, {"price": 2.0}, arrays().keys)
    assert isinstance(in_other_storage(other), Table)


class Prepared(Enough):
    """Refuses nothing for an ask of 0, and says so before it is asked about rows."""

    def __init__(self, prepare=None, depends=None, mask=None):
        self._prepare = prepare or (lambda ask, table, cycle: SKIP if ask.need == 0 else None)
        self._mask = mask
        if depends is not None:
            self.depends = depends

    def prepare(self, ask, table, cycle):
        return self._prepare(ask, table, cycle)

    def mask(self, ask, rows, cycle):
        return self._mask(ask, rows, cycle) if self._mask else super().mask(ask, rows, cycle)


LIMIT = Key("limit")


def put_limit(ask, table, cycle):
    cycle.put(LIMIT, max(table.columns["free"]) - ask.need)


def within_limit(ask, rows, cycle):
    return rows.free <= cycle.get(LIMIT)


def unless_zero(ask, rows, cycle):
    if ask.need == 0:
        raise ZeroDivisionError
    return rows.free >= ask.need


@pytest.mark.parametrize(
    "plugin",
    [Prepared(), Prepared(mask=unless_zero), Prepared(put_limit, Depends.CYCLE, within_limit)],
    ids=["skips", "is not asked where it skips", "finds in the cycle what it put there"],
)
def test_a_plugin_with_a_good_prepare_has_no_complaint(plugin):
    plugin.explain = lambda ask, rows, cycle: Reasons("outside", limit=str(cycle.get(LIMIT)) if plugin._mask else "")
    if plugin._mask is not within_limit:
        del plugin.explain

    assert check_plugin(plugin, arrays(), ASKS) == []


class Fickle:
    """Skips every second time."""

    def __init__(self):
        self.calls = 0

    def __call__(self, ask, table, cycle):
        self.calls += 1
        return SKIP if self.calls % 2 else None


BAD_PREPARES = {
    "it looks at columns": (lambda ask, table, cycle: table.columns, "looks at table.columns in prepare"),
    "it looks at the clock": (lambda ask, table, cycle: cycle.now, "looks at cycle.now"),
    "it says yes": (lambda ask, table, cycle: True, "answered True in prepare where SKIP or None was asked for"),
    "it raises": (lambda ask, table, cycle: ask.nothing, "raised AttributeError"),
    "it is fickle": (Fickle(), "asked again, it answers differently"),
}


@pytest.mark.parametrize(("prepare", "complaint"), BAD_PREPARES.values(), ids=BAD_PREPARES)
def test_a_bad_prepare_is_told(prepare, complaint):
    assert any(complaint in each for each in check_plugin(Prepared(prepare), arrays(), ASKS))
