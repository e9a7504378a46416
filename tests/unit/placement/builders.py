"""Workers, asks and verdicts in a few words: each test says only what matters to it."""

from __future__ import annotations

import numpy as np

from bayplan.cluster.frozen_map import FrozenMap
from bayplan.cluster.gpu import CardId, Gpu
from bayplan.cluster.selector import Selector
from bayplan.cluster.snapshot import Snapshot
from bayplan.cluster.topology import TopologyPath
from bayplan.cluster.worker import Worker, uid_hash, uid_of
from bayplan.framework.contract_check import assert_contract
from bayplan.framework.handlers.single_profile import SingleProfile
from bayplan.framework.pickers.max_score import MaxScore
from bayplan.framework.profile import Profile
from bayplan.framework.reasons import Rejection
from bayplan.framework.scheduler import Scheduler
from bayplan.framework.table import Table
from bayplan.placement.ask import Ask
from bayplan.placement.producers.card_fit import CardFit
from bayplan.placement.producers.usable_cards import UsableCards
from bayplan.placement.subject import Subject

PASSED = Rejection(code=None, filter="")
"""The verdict on a worker that a filter keeps."""


def gpu(index=0, **others):
    """A card of 40 GiB."""
    return Gpu(index, **{"model": "A100-SXM4-40GB", "memory_mib": 40_960, **others})


def worker(name="a", *, cards=0, labels=(), region=None, **others):
    """A ready worker; `cards` are so many of 40 GiB, or the cards themselves. CPU and RAM are not known."""
    gpus = tuple(map(gpu, range(cards))) if isinstance(cards, int) else tuple(cards)
    known = {"topology": TopologyPath(region=region), "labels": FrozenMap(dict(labels)), "gpus": gpus}
    return Worker(name, **{**known, **others})


def ask(*, selector=None, gpu_ids=None, **others):
    """An ask for nothing but what is said; labels that must be equal, cards as `worker:runtime:index`."""
    if selector is not None:
        others["selector"] = selector if isinstance(selector, Selector) else Selector.of_labels(selector)
    if gpu_ids is not None:
        others["selected"] = frozenset(map(_selected, gpu_ids))
    return Ask(**others)


def subject(name="mine", *, avoids=(), **others):
    """A replica, and the names of the workers that it must not use."""
    return Subject(name, avoided=np.array([hash_of(each) for each in avoids], np.int64), **others)


def hash_of(name):
    """How columns and asks know the worker of that name."""
    return uid_hash(uid_of(name))


def table_of(*workers, bookings=()):
    return Snapshot.load(workers, bookings).table


def verdicts(plugin, asked, *workers, bookings=(), who=None):
    """What a filter says of each worker, by name, through a whole decision of the scheduler."""
    table = table_of(*workers, bookings=bookings)
    profile = Profile("p", MaxScore(), filters=(plugin,), producers=(UsableCards(), CardFit()))
    scheduler = Scheduler([profile], SingleProfile(), table=table)
    explanation = scheduler.schedule(who or subject(), asked, explained=True).explanations["p"]
    found = dict.fromkeys(table.keys, PASSED)
    for row, (rejection, *_) in explanation.rejections().items():
        found[table.keys[row]] = rejection
    return found


def judge(plugin, asked, on, **others):
    """What a filter says of one worker."""
    return verdicts(plugin, asked, on, **others)[on.name]


def keeps_its_promises(plugin, workers, asks, *, made=None, **others):
    """The contract of every plugin, over workers (called w0, w1 …) and asks that between them pass and refuse.

    `made` are columns that a producer would make.
    """
    table = table_of(*[_named(each, f"w{number}") for number, each in enumerate(workers)])
    assert_contract(plugin, _with(table, made or {}), list(asks), **{"subject": subject(), **others})


def _with(table, made):
    static, state = (
        {name: table.columns[name] for name in names} for names in (table.schema.static, table.schema.state)
    )
    return Table(static=static, state={**state, **made}, constants=dict(table.shared), keys=table.keys)


def _named(each, name):
    values = {field: getattr(each, field) for field in Worker.__dataclass_fields__}
    return Worker(**{**values, "name": name, "uid": ""})


def _selected(text):
    name, runtime, index = text.rsplit(":", 2)
    return hash_of(name), CardId(runtime, int(index))
