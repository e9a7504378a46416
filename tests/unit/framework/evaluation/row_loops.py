"""What tests of loops over rows share."""

import numpy as np

from bayplan.framework.handlers.single_profile import SingleProfile
from bayplan.framework.scheduler import Scheduler
from bayplan.framework.table import Table
from bayplan.framework.twins import Twin
from unit.framework.builders import Scores, cycle, profile

ROWS = 100


def tenth(free):
    return free / 10


def rated(rate, free):
    return rate * free / 10


def twinned(function, *constants, reads=None):
    return lambda ask, shared: Twin(function, constants, reads)


def freest(twin=lambda ask, shared: Twin(tenth), **more):
    return Scores("freest", ("free",), lambda ask, rows, cycle: rows.free / 10, twin=twin, **more)


def wide(free=None, **shared):
    return Table(
        static={"zone": np.arange(ROWS) % 2},
        state={"free": np.arange(ROWS) % 10 if free is None else free},
        shared=shared,
    )


class Counted:
    """A compiler that runs the text as it is, and counts."""

    def __init__(self, after=0, fails=0):
        """The first so many functions that it makes fail."""
        self.after, self.texts, self.sizes, self._fails, self.afresh = after, [], [], fails, []

    def compile(self, text, *, afresh=False):
        self.texts.append(text)
        self.afresh.append(afresh)
        fails = len(self.texts) <= self._fails
        names = {"compiled": lambda function: function, "inf": np.inf, "nan": np.nan}
        exec(text, names)  # noqa: S102 (the framework's own text)

        def redo(places, rows, *others):
            self.sizes.append(len(rows))
            if fails:
                raise TypeError("cannot be compiled")
            return names["redo"](places, rows, *others)

        return redo


def setup(*plugins, table=None, **more):
    table = wide() if table is None else table
    return Scheduler([profile(*plugins)], SingleProfile(), table=table, **more), table


def sums(mine, ask=2, table=None):
    return mine.evaluator("p", table).totals(ask, cycle(ask)).levels[0].tolist()
