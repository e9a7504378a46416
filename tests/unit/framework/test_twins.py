"""A plugin's scalar form: how it is asked for, and how the contract check compares it with the form over columns."""

from dataclasses import dataclass

import numpy as np
import pytest

from bayplan.framework.contract_check import check_plugin
from bayplan.framework.errors import PluginError
from bayplan.framework.list_table import ListTable
from bayplan.framework.table import Table
from bayplan.framework.twins import EVERY_ROW, Twin, twin_of

NAN = float("nan")
COLUMNS = {"free": [3, 8, 0, 5], "cards": [[1, 2], [0, 3], [9, 1], [4, 4]]}


@dataclass(frozen=True)
class Ask:
    need: int


def table():
    return Table(state=COLUMNS, shared={"rate": 0.05})


def enough(need, free):
    return free >= need


def more(need, free):
    return free > need


def whether(need, free):
    return int(free >= need)


def by_zero(need, free):
    return free / 0 > need


def a_little_more(rate, free):
    return free * rate + 1e-16


def nan_or_zero(free):
    return NAN if free == 0 else 0.0


def nan_or_minus_zero(free):
    return NAN if free == 0 else -0.0


def rated(free, rate):
    return free * rate


def ends(first, cards):
    return cards[0] + first, cards[-1] / 2


class Enough:
    name = "enough"
    reads = ("free",)
    function = staticmethod(enough)

    def mask(self, ask, rows, cycle):
        return rows.free >= ask.need

    def twin(self, ask, shared):
        return Twin(self.function, (ask.need,))


class Rated:
    name = "rated"
    reads = ("rate", "free")

    def score(self, ask, rows, cycle):
        return rows.free * rows.rate

    def twin(self, ask, shared):
        return Twin(rated, reads=("free", "rate")) if shared == {"rate": 0.05} else None


class Ends:
    name = "ends"
    reads = ("cards",)
    produces = ("low", "half")

    def produce(self, ask, rows, cycle):
        return {"low": rows.cards[:, 0] + ask.need, "half": rows.cards[:, -1] / 2}

    def twin(self, ask, shared):
        return Twin(ends, (ask.need,))


class Whole:
    """A scorer that answers in whole numbers; its twin answers in floats."""

    name = "whole"
    reads = ("free",)
    scale = 100

    def score(self, ask, rows, cycle):
        return rows.free

    def twin(self, ask, shared):
        return Twin(float, (), ("free",))


@pytest.mark.parametrize("plugin", [Enough(), Rated(), Ends(), Whole()], ids=lambda each: each.name)
def test_a_right_twin_has_no_complaint(plugin):
    assert check_plugin(plugin, table(), [Ask(0), Ask(4)]) == []


def test_a_twin_is_checked_over_lists_too():
    class Lists(Enough):
        function = staticmethod(more)

        def mask(self, ask, rows, cycle):
            return [free >= ask.need for free in rows.free]

    (complaint,) = check_plugin(Lists(), ListTable(state=COLUMNS), [Ask(3)])

    assert "its twin says False of row 0, and the plugin itself True" in complaint


WRONG = {
    "other answer": (more, "its twin says False of row 0, and the plugin itself True"),
    "other type": (whether, "its twin says 1 of row 0, and the plugin itself True"),
    "raises": (by_zero, "its twin raised ZeroDivisionError for row 0"),
    "other parameters": (nan_or_zero, "its twin cannot be written into a loop: nan_or_zero has 1 parameters, not 2"),
}


@pytest.mark.parametrize(("function", "text"), WRONG.values(), ids=WRONG)
def test_a_wrong_twin_is_told(function, text):
    plugin = Enough()
    plugin.function = function

    (complaint,) = check_plugin(plugin, table(), [Ask(3)])

    assert complaint.startswith("ask Ask(need=3): ")
    assert text in complaint


def test_every_bit_of_a_score_counts():
    class Nearly(Rated):
        def twin(self, ask, shared):
            return Twin(a_little_more)

    assert any("its twin says" in each for each in check_plugin(Nearly(), table(), [Ask(0)]))


def test_a_zero_is_not_minus_zero_and_nan_is_itself():
    class Quotients:
        name = "quotients"
        reads = ("free",)
        produces = ("quotient",)

        def __init__(self, answers):
            self._answers = answers

        def produce(self, ask, rows, cycle):
            return {"quotient": np.where(rows.free == 0, np.nan, 0.0)}

        def twin(self, ask, shared):
            return Twin(self._answers)

    right = Quotients(nan_or_zero)
    wrong = Quotients(nan_or_minus_zero)

    assert check_plugin(right, table(), [Ask(0)]) == []
    assert "its twin says -0.0 of row 0, and the plugin itself 0.0" in check_plugin(wrong, table(), [Ask(0)])[0]


def test_what_it_reads_is_what_the_plugin_reads_unless_it_says_less():
    assert twin_of(Enough(), Ask(2), {}) == Twin(enough, (2,), ("free",))
    assert twin_of(Rated(), Ask(2), {"rate": 0.05}).reads == ("free", "rate")
    assert twin_of(Rated(), Ask(2), {"rate": 1.0}) is None
    assert twin_of(object(), Ask(2), {}) is None


def test_what_is_no_twin_is_the_plugins_fault():
    class Wide(Enough):
        def twin(self, ask, shared):
            return Twin(enough, (1,), ("used",))

    class NoTwin(Enough):
        def twin(self, ask, shared):
            return enough

    with pytest.raises(PluginError, match=r"reads \['used'\], which the plugin does not"):
        twin_of(Wide(), Ask(1), {})
    with pytest.raises(PluginError, match="has a twin that is a function"):
        twin_of(NoTwin(), Ask(1), {})
    assert "it has a twin that is a function; return a Twin, or None" in check_plugin(NoTwin(), table(), [Ask(1)])[0]


def test_a_plugin_of_two_kinds_has_no_twin():
    class Both(Enough, Rated):
        name = "both"

    assert twin_of(Both(), Ask(1), {}) is None


def test_a_filter_may_pass_every_row():
    assert EVERY_ROW.function() is True
    assert EVERY_ROW.reads == ()
