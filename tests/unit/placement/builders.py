"""Workers, asks and verdicts in a few words: each test says only what matters to it."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from bayplan.cluster.cluster import Cluster
from bayplan.cluster.frozen_map import FrozenMap
from bayplan.cluster.gpu import CardId, Gpu
from bayplan.cluster.selector import Selector
from bayplan.cluster.snapshot import Snapshot
from bayplan.cluster.topology import TopologyPath
from bayplan.cluster.worker import Worker, uid_hash, uid_of
from bayplan.cluster.workload import Backend, GpuRequest, Role, Shape, Workload, WorkloadId
from bayplan.framework.contract_check import assert_contract
from bayplan.framework.handlers.single_profile import SingleProfile
from bayplan.framework.pickers.max_score import MaxScore
from bayplan.framework.profile import Profile
from bayplan.framework.reasons import Rejection
from bayplan.framework.scheduler import Scheduler
from bayplan.framework.table import Table
from bayplan.library.registry import placement_plugins, read_config
from bayplan.placement.asks.ask import Ask
from bayplan.placement.asks.from_shape import ask_tiers
from bayplan.placement.asks.sized_workload import SizedRole, SizedWorkload
from bayplan.placement.asks.subject import Subject
from bayplan.placement.cards.choose import choose, look
from bayplan.placement.constraints.anti_affinity import AVOIDED
from bayplan.placement.decision.planned_cluster import PlannedCluster
from bayplan.placement.defaults import DEFAULT_CONFIG
from bayplan.placement.planning.planner import Planner
from bayplan.placement.producers.card_fit import CardFit
from bayplan.placement.producers.usable_cards import UsableCards
from bayplan.sizing.engine import read_engine
from bayplan.sizing.need import MIB, Need
from bayplan.sizing.overhead import Overhead

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


def subject(name="mine", *, avoids=(), constraints=(), **others):
    """A replica, the names of the workers that it must not use, and how other constraints stand."""
    avoided = np.array([hash_of(each) for each in avoids], np.int64)
    return Subject(name, constraints={AVOIDED: avoided, **dict(constraints)}, **others)


def hash_of(name):
    """How columns and asks know the worker of that name."""
    return uid_hash(uid_of(name))


def table_of(*workers, bookings=()):
    return Snapshot.load(workers, bookings).table


def seen(asked, *workers, bookings=()):
    """The workers as the producers show them, in the order in which they are given."""
    snapshot = Snapshot.load(workers, bookings)
    return look(asked, snapshot.table, np.array([snapshot.row(each.name) for each in workers], np.intp))


def chosen(asked, on, *, bookings=(), order="tight", who=None):
    """The positions of the cards that a worker would give, and how full they would be."""
    given = choose(asked, seen(asked, on, bookings=bookings), order, who or subject())
    return np.flatnonzero(given.chosen[0]).tolist(), float(given.fullness[0])


def need(weights_mib=0, *, kv_mib=0, overhead_mib=0, **others):
    """What a model needs that is cut as its flags and numbers allow; no numbers: in any way."""
    return Need(weights_mib * MIB, kv_mib * MIB, Overhead.of(overhead_mib), **others)


LLAMA = {"heads": 64, "kv_heads": 8, "layers": 80, "vocab_size": 128_256}
"""The numbers of a model that most divisions suit."""


def role(needs=None, engine=None, *args, gpus=None, **others):
    """A sized role: a shape, what its model needs, an engine and its flags; `gpus` are the fields of its request."""
    backend = None if engine is None else Backend(engine, args)
    shape = Shape(backend=backend, gpus=None if gpus is None else GpuRequest(**gpus), **others)
    return SizedRole(shape, needs, read_engine(backend))


def asks_of(what, *workers, copies=1, bookings=()):
    """The asks of a replica, and the warnings that go with them."""
    return ask_tiers(what, Snapshot.load(workers, bookings), copies)


def sized(
    *roles, name="mine", namespace="default", replicas=1, gang=None, priority=0, warnings=(), **others,
):  # fmt: skip
    """A sized workload: one role and its number of replicas, or several as (name, replicas, role)."""
    whose = WorkloadId(name, namespace, priority=priority)
    if len(roles) == 1 and isinstance(roles[0], SizedRole):
        workload = Workload(whose, roles[0].shape, replicas, gang=gang, **others)
        return SizedWorkload(workload, (replace(roles[0], replicas=replicas),), warnings)
    named = tuple(Role(called, number, each.shape) for called, number, each in roles)
    workload = Workload(whose, roles=named, gang=gang, **others)
    found = tuple(replace(each, name=called, replicas=number) for called, number, each in roles)
    return SizedWorkload(workload, found, warnings)


@lru_cache(maxsize=1)
def profiles():
    """The strategies that a configuration need not name."""
    return {each.name: each for each in read_config(DEFAULT_CONFIG, placement_plugins()).profiles}


def planner(*workers, bookings=(), budgets=(), **others):
    return Planner(Cluster(tuple(workers), tuple(bookings), tuple(budgets)), profiles(), **others)


def planned_cluster(*workers, bookings=(), budgets=(), **others):
    """The cluster on which a plan stands, with nothing planned on it."""
    return PlannedCluster(Cluster(tuple(workers), tuple(bookings), tuple(budgets)), profiles(), **others)


def cards_of(replica):
    """The cards of a replica: runtime and index, by worker."""
    return {
        booking.worker: [f"{card.runtime}:{card.index}" for card in booking.cards]
        for booking in replica.placed.bookings
    }


def verdicts(plugin, asked, *workers, bookings=(), who=None):
    """What a filter says of each worker, by name, through a whole decision of the scheduler."""
    table = table_of(*workers, bookings=bookings)
    profile = Profile("p", MaxScore(), filters=(plugin,), producers=(UsableCards(), CardFit()))
    scheduler = Scheduler([profile], SingleProfile(), table=table)
    explanation = scheduler.schedule(who or subject(), asked, explained=True).explanations["p"]
    return {key: (explanation.rejections(row).get(row) or [PASSED])[0] for row, key in enumerate(table.keys)}


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
