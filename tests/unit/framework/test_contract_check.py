"""The contract check catches each kind of deliberately bad plugin, and no good one."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from bayplan.framework.adapter import filter_of, scorer_of
from bayplan.framework.contract_check import assert_contract, check_plugin
from bayplan.framework.filters.sample import Sample
from bayplan.framework.plugins import Depends
from bayplan.framework.table import Table
from unit.framework.contract_plugins import ASKS, Enough, Full, Sums, Two, arrays, lists


class Chancy:
    name = "chancy"
    reads = ("free",)
    depends = Depends.TABLE

    def score(self, ask, rows, cycle):
        return np.array([cycle.random().random() for _ in range(rows.size)])


lifted = filter_of(lambda ask, row: row.free >= ask.need, "lifted", reads=("free",))


lifted.storages = ("arrays", "lists")


halves = scorer_of(lambda ask, row: 0.5, "halves", reads=("free",))


GOOD = {
    "filter": (Enough(), arrays()),
    "scorer": (Full(), arrays()),
    "producer with NaN": (Sums(), arrays()),
    "seeded chance": (Chancy(), arrays()),
    "sample": (Sample(2), arrays()),
    "both storages": (Two(), arrays()),
    "both, from lists": (Two(), lists()),
    "lifted filter": (lifted, lists()),
    "lifted scorer": (halves, arrays()),
    "no rows": (Enough(), Table(state={"free": np.array([], int)})),
}


@pytest.mark.parametrize(("plugin", "table"), GOOD.values(), ids=GOOD)
def test_a_good_plugin_has_no_complaint(plugin, table):
    assert check_plugin(plugin, table, ASKS) == []
    assert_contract(plugin, table, ASKS, seed=7)


class Shuns:
    name = "shuns"
    reads = ("free",)
    depends = Depends.CYCLE
    storages = ("arrays", "lists")

    def mask(self, ask, rows, cycle):
        passed = [free != cycle.subject.shunned for free in rows.free]
        return passed if type(rows.free) is list else np.array(passed, bool)


def test_a_plugin_that_looks_at_the_subject_is_shown_one():
    shunning = SimpleNamespace(shunned=2)

    assert check_plugin(Shuns(), arrays(), ASKS, subject=shunning) == []
    assert_contract(Shuns(), arrays(), ASKS, subject=shunning)
    assert "'str' object has no attribute 'shunned'" in check_plugin(Shuns(), arrays(), ASKS)[0]


class Priced:
    name = "priced"
    reads = ("free", "prices")

    def mask(self, ask, rows, cycle):
        if isinstance(rows.prices, dict):
            rows.prices["asked"] = True
        return rows.free > ask.need


def test_a_shared_value_is_watched_if_it_can_be_compared():
    def complaints(prices):
        return check_plugin(Priced(), Table(state={"free": [1, 5]}, constants={"prices": prices}), ASKS)

    assert complaints(object()) == []
    assert complaints({}) == ["it writes to the columns that it is shown"]
