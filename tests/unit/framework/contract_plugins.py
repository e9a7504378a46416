"""Plugins for the tests of the contract check."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayplan.framework.list_table import ListTable
from bayplan.framework.reasons import Reasons
from bayplan.framework.table import Table


@dataclass(frozen=True)
class Ask:
    need: int


ASKS = [Ask(0), Ask(4), Ask(9)]


COLUMNS = {"free": [3, 8, 0, 5, 3], "cards": [[1, 2], [0, 0], [9, 1], [4, 4], [2, 7]]}


def arrays():
    return Table(static={"total": [9, 9, 4, 9, 4]}, state=COLUMNS, shared={"price": 2.0})


def lists():
    return ListTable(static={"total": [9, 9, 4, 9, 4]}, state=COLUMNS, shared={"price": 2.0})


class Enough:
    name = "enough"
    reads = ("free",)

    def mask(self, ask, rows, cycle):
        return rows.free >= ask.need

    def explain(self, ask, rows, cycle):
        return Reasons("too-small", needed=ask.need, free=rows.free)


class Full:
    name = "full"
    reads = ("free", "total", "price")
    scale = 100

    def score(self, ask, rows, cycle):
        return 50.0 * rows.price * rows.free / 9


class Sums:
    name = "sums"
    reads = ("cards",)
    produces = ("sum", "ratio")

    def produce(self, ask, rows, cycle):
        with np.errstate(invalid="ignore"):
            return {"sum": rows.cards.sum(1), "ratio": rows.cards[:, 0] / rows.cards[:, 1]}


class Two:
    name = "two"
    reads = ("free",)
    storages = ("arrays", "lists")

    def mask(self, ask, rows, cycle):
        return [free > ask.need for free in rows.free] if type(rows.free) is list else rows.free > ask.need
