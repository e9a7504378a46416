"""Small builders: each test says only what matters to it."""

from collections.abc import Callable

import numpy as np

from bayplan.framework.cycle import Cycle
from bayplan.framework.evaluation.binding import bind
from bayplan.framework.handlers.single_profile import SingleProfile
from bayplan.framework.outcome import Decision
from bayplan.framework.pickers.max_score import MaxScore
from bayplan.framework.plugins import Resolution, Run
from bayplan.framework.profile import Profile
from bayplan.framework.reasons import Reasons
from bayplan.framework.scheduler import Scheduler
from bayplan.framework.schema import Schema
from bayplan.framework.table import Table


class Asked:
    """A plugin made of a function of (ask, rows, cycle); it counts its calls and the rows that it was shown."""

    def __init__(self, name, reads, call, depends=None, **more):
        self.name, self.reads, self._call = name, tuple(reads), call
        self.shown: list[int] = []
        if depends is not None:
            self.depends = depends
        for attribute, value in more.items():
            setattr(self, attribute, value)

    def _answer(self, ask, rows, cycle):
        self.shown.append(rows.size)
        return self._call(ask, rows, cycle)


class Keeps(Asked):
    mask = Asked._answer


class Scores(Asked):
    score = Asked._answer


class Makes(Asked):
    produce = Asked._answer


class Picks:
    """A picker that returns what it is told to, or what a function of (totals, want, cycle) says."""

    name = "told"

    def __init__(self, rows):
        self._rows = rows

    def pick(self, totals, want, cycle):
        return self._rows(totals, want, cycle) if callable(self._rows) else self._rows


class Handles:
    """A handler that returns these batches of runs one after the other, then decides for `primary`."""

    name = "batches"

    def __init__(self, *batches, primary="p", decide=None):
        self._batches, self._primary, self._decide = batches, primary, decide
        self._cycle, self._left = None, []

    def pick_profiles(self, cycle, profiles, results):
        if cycle is not self._cycle:
            self._cycle, self._left = cycle, list(self._batches)
        batch = self._left.pop(0) if self._left else ()
        return batch(cycle, profiles, results) if isinstance(batch, Callable) else batch

    def process_results(self, cycle, results):
        return self._decide(cycle, results) if self._decide else Decision(self._primary)


class Books:
    """A resolver: a picked row has one less free."""

    name = "books"

    def resolve(self, ask, table, row, cycle):
        left = int(table.columns["free"][row]) - 1
        return Resolution(f"{table.keys[row]}:{left}", {row: {"free": left}})


class Spy:
    """An observer that writes down everything."""

    attentive = True

    def __init__(self):
        self.told = []

    def before(self, kind, plugin, rows):
        self.told.append(("before", kind, plugin, rows))

    def after(self, kind, plugin, rows):
        self.told.append(("after", kind, plugin, rows))

    def clamped(self, plugin, count):
        self.told.append(("clamped", plugin, count))

    def skipped(self, plugin, problem):
        self.told.append(("skipped", plugin, problem))

    def decided(self, outcome):
        self.told.append(("decided", outcome.subject))


def table(free=(3, 1, 2), zone=(0, 0, 1), kind=Table, **shared):
    """Rows with a state column `free` and a static column `zone`."""
    return kind(
        static={"zone": list(zone)}, state={"free": list(free)}, shared=shared, keys=list("abcdefgh")[: len(free)]
    )


def roomy(name="roomy", least=2, **more):
    """A filter: at least so much free."""
    return Keeps(name, ("free",), lambda ask, rows, cycle: rows.free >= least, **more)


def freest(name="freest", **more):
    """A scorer: free / 10."""
    return Scores(name, ("free",), lambda ask, rows, cycle: rows.free / 10, **more)


def profile(*plugins, name="p", picker=None, **more):
    """A profile of plugins, each put where its methods say."""
    from bayplan.framework.profile import Named, Weighted

    kinds = {"mask": [], "score": [], "produce": []}
    for plugin in plugins:
        inner = (
            plugin.scorer if isinstance(plugin, Weighted) else plugin.plugin if isinstance(plugin, Named) else plugin
        )
        next(uses for method, uses in kinds.items() if hasattr(inner, method)).append(plugin)
    filters, scorers, producers = (tuple(uses) for uses in kinds.values())
    return Profile(name, picker or MaxScore(), filters, scorers, producers, **more)


def scheduler(*plugins, on=None, handler=None, picker=None, resolver=None, **more):
    """A scheduler of one profile `p` over `on`."""
    only = profile(*plugins, picker=picker, resolver=resolver)
    return Scheduler([only], handler or SingleProfile(), table=table() if on is None else on, **more)


def bound(*plugins, static=("zone",), state=("free",), shared=(), **more):
    return bind(profile(*plugins, **more), Schema(frozenset(static), frozenset(state), frozenset(shared)))


def cycle(seed=0, now=0.0, ask="ask"):
    return Cycle("subject", ask, seed=seed, now=now)


def rows_of(outcome):
    return [pick.row for pick in outcome.picked]


def run(profile="p", **more):
    return Run(profile, **more)


def index(*rows):
    return np.array(rows, np.intp)


__all__ = [
    "Books", "Handles", "Keeps", "Makes", "Picks", "Reasons", "Scores", "Spy", "bound", "cycle", "freest", "index",
    "profile", "roomy", "rows_of", "run", "scheduler", "table",
]  # fmt: skip
