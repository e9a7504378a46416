"""What tests of the evaluator share."""

import numpy as np

from bayplan.framework.table import Table
from unit.framework.builders import Scores, cycle, scheduler

ROWS = 200


def wide(**shared):
    return Table(static={"zone": np.arange(ROWS) % 2}, state={"free": np.arange(ROWS) % 10}, shared=shared)


def zoned(**more):
    return Scores("zoned", ("zone",), lambda ask, rows, cycle: rows.zone * 0.5, **more)


def sums(mine, ask="ask", table=None):
    return mine.evaluator("p", table).totals(ask, cycle()).levels[0].tolist()


def setup(*plugins, on=None, **more):
    mine = scheduler(*plugins, on=wide() if on is None else on, **more)
    return mine, mine.table
