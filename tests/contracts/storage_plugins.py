"""Plugins and schedulers for the tests of both storages."""

import numpy as np
import pytest

from bayplan.framework.handlers.single_profile import SingleProfile
from bayplan.framework.list_table import ListTable
from bayplan.framework.pickers.max_score import MaxScore
from bayplan.framework.plugins import Depends
from bayplan.framework.profile import Named, Profile, Weighted
from bayplan.framework.scheduler import Scheduler
from bayplan.framework.table import Table
from bayplan.framework.twins import Twin


class TwinTable(ListTable):
    """Lists whose plugins bring their twins."""


KINDS = pytest.mark.parametrize("kind", [Table, ListTable, TwinTable], ids=["arrays", "lists", "twins"])


CYCLE, TABLE = Depends.CYCLE, Depends.TABLE


class Plugin:
    """What a case says of a plugin; `arrays` and `lists` are its two bodies, functions of (ask, rows, cycle)."""

    def __init__(self, name, reads, arrays, lists, depends=None, **more):
        self.name, self.reads, self._bodies = name, reads, {Table: arrays, ListTable: lists, TwinTable: lists}
        if depends is not None:
            self.depends = depends
        self.__dict__.update(more)

    def written_for(self, kind):
        body = self._bodies[kind]
        written = type(self)(self.name, self.reads, None, None)
        written.__dict__.update({key: value for key, value in self.__dict__.items() if key != "_bodies"})
        setattr(written, self.method, body)
        if kind is not TwinTable:
            written.__dict__.pop("twin", None)
        return written


class Filter(Plugin):
    method = "mask"


class Scorer(Plugin):
    method = "score"


class Producer(Plugin):
    method = "produce"


def at_least(least, free):
    return free >= least


def tenth(free):
    return free / 10


def at_rate(free, rate):
    return free * rate


def twentieth(double):
    return double / 20


def roomy(least, name="roomy", **more):
    return Filter(
        name,
        ("free",),
        lambda a, rows, c: rows.free >= least,
        lambda a, rows, c: [f >= least for f in rows.free],
        twin=lambda ask, shared: Twin(at_least, (least,)),
        **more,
    )


def freest(name="freest", **more):
    return Scorer(
        name,
        ("free",),
        lambda a, rows, c: rows.free / 10,
        lambda a, rows, c: [f / 10 for f in rows.free],
        twin=lambda ask, shared: Twin(tenth),
        **more,
    )


def crowd(name="crowd"):
    return Scorer(
        name,
        ("free",),
        lambda a, rows, c: rows.free / rows.free.max(),
        lambda a, rows, c: [free / max(rows.free) for free in rows.free],
        TABLE,
    )


def unless_nobody(least):
    def arrays(ask, rows, cycle):
        wanted = rows.free >= least
        return wanted if wanted.any() else np.ones(rows.size, bool)

    def lists(ask, rows, cycle):
        wanted = [free >= least for free in rows.free]
        return wanted if any(wanted) else [True] * rows.size

    return Filter("unless-nobody", ("free",), arrays, lists, TABLE)


def doubled():
    return Producer(
        "doubled",
        ("free",),
        lambda a, rows, c: {"double": rows.free * 2},
        lambda a, rows, c: {"double": [free * 2 for free in rows.free]},
        produces=("double",),
    )


def double_score():
    return Scorer(
        "by-double",
        ("double",),
        lambda a, rows, c: rows.double / 20,
        lambda a, rows, c: [d / 20 for d in rows.double],
        twin=lambda ask, shared: Twin(twentieth),
    )


def rated():
    return Scorer(
        "rated",
        ("free", "rate"),
        lambda a, rows, c: rows.free * rows.rate,
        lambda a, rows, c: [free * rows.rate for free in rows.free],
        twin=lambda ask, shared: Twin(at_rate),
    )


def scheduler(kind, plugins, free=(3, 1, 2, 3), picker=None, **more):
    rows = len(free)
    table = kind(
        static={"zone": [row // 2 for row in range(rows)]},
        state={"free": list(free)},
        shared={"rate": 0.25},
        keys=[f"row-{row}" for row in range(rows)],
    )
    filters, scorers, producers = [], [], []
    for plugin in plugins:
        if isinstance(plugin, Weighted):
            scorers.append(Weighted(plugin.scorer.written_for(kind), plugin.weight, plugin.level))
        elif isinstance(plugin, Plugin):
            {"mask": filters, "score": scorers, "produce": producers}[plugin.method].append(plugin.written_for(kind))
        else:
            filters.append(Named(plugin, plugin.name))
    profile = Profile("p", picker or MaxScore(), tuple(filters), tuple(scorers), tuple(producers))
    return Scheduler([profile], SingleProfile(), table=table, **more)
