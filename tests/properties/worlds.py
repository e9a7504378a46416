"""The oracle's plans and worlds as the framework sees them: array plugins, list plugins, tables, schedulers."""

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

from bayplan.framework.handlers.single_profile import SingleProfile
from bayplan.framework.list_table import ListTable
from bayplan.framework.pickers.max_score import MaxScore
from bayplan.framework.plugins import SKIP, Depends
from bayplan.framework.profile import Named, Profile, Weighted
from bayplan.framework.scheduler import Scheduler
from bayplan.framework.table import Table
from bayplan.framework.twins import Twin
from properties import scalar_forms

STATIC = ("zone", "price", "cordoned", "label")
STATE = ("free", "used", "cards")
CYCLE, TABLE = Depends.CYCLE, Depends.TABLE

PRODUCERS = {
    "late": (("room",), CYCLE, lambda ask, rows, cycle: rows.room + cycle.now),
    "eligible": (("fits", "free"), None, lambda ask, rows, cycle: rows.fits * rows.free),
    "room": (("free",), None, lambda ask, rows, cycle: rows.free - ask.need),
    "fits": (("zone",), None, lambda ask, rows, cycle: ((rows.zone + ask.tag) % 2 == 0).astype(np.int64)),
}

FILTERS = {
    "uncordoned": (("cordoned",), None, lambda p, ask, rows, cycle: ~rows.cordoned),
    "zone-is-not": (("zone",), None, lambda p, ask, rows, cycle: rows.zone != p),
    "labelled": (("label",), None, lambda p, ask, rows, cycle: rows.label != "abcdefgh"[: int(p)]),
    "fitting": (("fits",), None, lambda p, ask, rows, cycle: rows.fits == 1),
    "free-enough": (("free",), None, lambda p, ask, rows, cycle: rows.free >= ask.need),
    "under-cap": (("used", "cap"), None, lambda p, ask, rows, cycle: rows.used <= rows.cap),
    "room-enough": (("room",), None, lambda p, ask, rows, cycle: rows.room >= p),
    "eligible": (("eligible",), None, lambda p, ask, rows, cycle: rows.eligible != p),
    "some-card": (("cards",), None, lambda p, ask, rows, cycle: (rows.cards > p).any(axis=1)),
    "clock-parity": (("free",), CYCLE, lambda p, ask, rows, cycle: (rows.free + int(cycle.now)) % 3 != p),
    "late-enough": (("late",), None, lambda p, ask, rows, cycle: rows.late >= p),
    "near-the-best": (("free",), TABLE, lambda p, ask, rows, cycle: rows.free >= rows.free.max() - p),
    "unless-nobody": (("free",), TABLE, lambda p, ask, rows, cycle: _unless_nobody(rows.free >= p)),
    "first-few": ((), TABLE, lambda p, ask, rows, cycle: np.arange(rows.size) < p),
}

SCORERS = {
    "cheap": (("price",), None, lambda p, ask, rows, cycle: 1.0 - rows.price / 3.0),
    "zone": (("zone",), None, lambda p, ask, rows, cycle: rows.zone * p),
    "constant": ((), None, lambda p, ask, rows, cycle: np.full(rows.size, float(p))),
    "fits": (("fits",), None, lambda p, ask, rows, cycle: (rows.fits + ask.tag) / 3.0),
    "fullness": (("used", "free"), None, lambda p, ask, rows, cycle: rows.used / (rows.used + 1.0 + np.abs(rows.free))),
    "rated": (("used", "rate"), None, lambda p, ask, rows, cycle: rows.used * rows.rate),
    "room": (("room",), None, lambda p, ask, rows, cycle: rows.room / 7.0),
    "eligible": (("eligible",), None, lambda p, ask, rows, cycle: rows.eligible * 0.1),
    "cards": (("cards",), None, lambda p, ask, rows, cycle: rows.cards.sum(axis=1) / 9.0),
    "wild": (("free",), None, lambda p, ask, rows, cycle: np.array([np.inf, -np.inf, 1e308, -0.0])[rows.free % 4]),
    "clock": (("free",), CYCLE, lambda p, ask, rows, cycle: rows.free / (np.abs(rows.free) + cycle.now + 1.0)),
    "late": (("late",), None, lambda p, ask, rows, cycle: rows.late * 0.03),
    "relative": (("free",), TABLE, lambda p, ask, rows, cycle: _relative(rows.free)),
    "place": ((), TABLE, lambda p, ask, rows, cycle: np.arange(rows.size) / rows.size),
}


@dataclass(frozen=True)
class Ask:
    need: int = 1
    tag: int = 0


def by_tag(ask, table, cycle):
    """Whether a plugin takes part: by the ask alone."""
    return SKIP if ask.tag == 0 else None


def by_clock(ask, table, cycle):
    """Whether a plugin takes part: by the cycle."""
    return SKIP if cycle.now < 5 else None


PREPARES = {"tag": by_tag, "clock": by_clock}


class _Plugin:
    def __init__(self, name, formula, skips=""):
        self.name = name
        self.reads, depends, self._formula = formula
        if depends is not None:
            self.depends = depends
        if skips:
            self.prepare = PREPARES[skips]


class ArrayFilter(_Plugin):
    def __init__(self, name, use):
        super().__init__(name, FILTERS[use.kind], use.skips)
        self._p, self._kind = use.p, use.kind

    def mask(self, ask, rows, cycle):
        return self._formula(self._p, ask, rows, cycle)

    def twin(self, ask, shared):
        function = scalar_forms.FILTERS.get(self._kind)
        return None if function is None else Twin(function, (self._p, ask.need))


class ArrayScorer(_Plugin):
    def __init__(self, name, use):
        super().__init__(name, SCORERS[use.kind], use.skips)
        self._p, self._dtype, self._kind = use.p, use.dtype, use.kind
        if use.scale != 1:
            self.scale = use.scale

    def score(self, ask, rows, cycle):
        scores = self._formula(self._p, ask, rows, cycle)
        with np.errstate(over="ignore"):
            return (scores * getattr(self, "scale", 1)).astype(self._dtype)

    def twin(self, ask, shared):
        function = scalar_forms.SCORERS.get(self._kind)
        if function is None or self._dtype != "float64":
            return None
        return Twin(function, (getattr(self, "scale", 1), *scalar_forms.TABLES.get(self._kind, ())))


class ArrayProducer(_Plugin):
    def __init__(self, name):
        super().__init__(name, PRODUCERS[name])
        self.produces = (name,)

    def produce(self, ask, rows, cycle):
        return {self.name: self._formula(ask, rows, cycle)}

    def twin(self, ask, shared):
        function = scalar_forms.PRODUCERS.get(self.name)
        return None if function is None else Twin(function, (ask.need,))


class _Listed:
    """An array plugin that lives on lists: what it sees and says is turned over at the door."""

    def __init__(self, plugin):
        self._plugin = plugin

    def __getattr__(self, name):
        return getattr(self._plugin, name)


class ListFilter(_Listed):
    def mask(self, ask, rows, cycle):
        return self._plugin.mask(ask, _arrays(rows), cycle).tolist()


class ListScorer(_Listed):
    def score(self, ask, rows, cycle):
        return self._plugin.score(ask, _arrays(rows), cycle).tolist()


class ListProducer(_Listed):
    def produce(self, ask, rows, cycle):
        made = self._plugin.produce(ask, _arrays(rows), cycle)
        return {name: column.tolist() for name, column in made.items()}


LISTED = {ArrayFilter: ListFilter, ArrayScorer: ListScorer, ArrayProducer: ListProducer}


def profile_of(plan, *, lists=False, name="p", picker=None):
    def turned(plugin):
        return LISTED[type(plugin)](plugin) if lists else plugin

    return Profile(
        name,
        picker or MaxScore(),
        filters=tuple(Named(turned(ArrayFilter(f"f{at}", use)), f"f{at}") for at, use in enumerate(plan.filters)),
        scorers=tuple(
            Weighted(turned(ArrayScorer(f"s{at}", use)), use.weight, use.level, f"s{at}")
            for at, use in enumerate(plan.scorers)
        ),
        producers=tuple(Named(turned(ArrayProducer(name)), name) for name in PRODUCERS),
    )


def scheduler_of(plan, table, *, budget_bytes=1 << 20, picker=None, compiler=None):
    lists = isinstance(table, ListTable)
    profile = profile_of(plan, lists=lists, picker=picker)
    return Scheduler([profile], SingleProfile(), table=table, budget_bytes=budget_bytes, compiler=compiler)


def table_of(world, kind=Table):
    return kind(
        static={name: column_of(world.rows, name, kind) for name in STATIC},
        state={name: column_of(world.rows, name, kind) for name in STATE},
        shared=world.shared,
        keys=[f"row-{place}" for place in range(len(world.rows))],
    )


def column_of(rows, name, kind=Table):
    values = [row[name] for row in rows]
    if kind is ListTable:
        return values
    if name == "cards":
        return np.array(values, np.int64).reshape(len(rows), 3)
    kinds = {"zone": np.int64, "free": np.int64, "cordoned": np.bool_, "label": object}
    return np.array(values, kinds.get(name, np.float64))


def _arrays(rows):
    columns = {name: getattr(rows, name) for name in rows.reads}
    for name, column in columns.items():
        if isinstance(column, list):
            columns[name] = column_of([{name: value} for value in column], name)
            if name in PRODUCERS:
                columns[name] = np.array(column, np.float64 if name == "late" else np.int64)
    return SimpleNamespace(size=rows.size, **columns)


def _unless_nobody(wanted):
    return wanted if wanted.any() else np.ones(len(wanted), np.bool_)


def _relative(free):
    top = free.max()
    return free / top if top > 0 else np.full(len(free), 0.5)
