"""Servers, bookings and models that say only what matters to a test."""

from __future__ import annotations

from dataclasses import replace

from bayplan.cluster.identity import WorkloadKey
from bayplan.cluster.server import Server, ServerReplica
from bayplan.cluster.serving_booking import LoadState, ServingBooking
from bayplan.framework.contract_check import assert_contract
from bayplan.framework.cycle import Cycle
from bayplan.framework.evaluation.binding import bind
from bayplan.framework.evaluation.explain import explain
from bayplan.framework.pickers.max_score import MaxScore
from bayplan.framework.profile import Profile, Weighted
from bayplan.serving.asks.ask import Ask
from bayplan.serving.asks.subject import Subject
from bayplan.serving.books.ledger import Ledger
from bayplan.serving.books.replica_table import ReplicaTable
from bayplan.serving.books.server_book import ServerBook
from bayplan.serving.decision.decider import Decider
from bayplan.serving.defaults import FILTERS, SCORERS
from bayplan.serving.following.serving_state import ServingState
from bayplan.serving.planning.planner import Planner
from bayplan.serving.served_model import ServedModel


def key(name="iris"):
    return WorkloadKey("default", name)


def server(name="a", replicas=1, *, memory=100, capabilities=("sklearn",), **fields):
    """A server with so many equal replicas, or with these; a replica without memory or capabilities takes these."""
    bare = Server(name, capabilities=tuple(capabilities), memory_mib=memory, **fields)
    given = range(replicas) if isinstance(replicas, int) else replicas
    made = tuple(bare.replica(each) if isinstance(each, int) else each for each in given)
    return replace(bare, replicas=made)


def replica(index=0, memory=100, capabilities=("sklearn",), **fields):
    return ServerReplica(index, memory, tuple(capabilities), **fields)


def booking(model="iris", place="a/0", state="available", memory=10, **fields):
    name, _, index = place.partition("/")
    return ServingBooking(model, name, int(index), memory_mib=memory, state=LoadState(state), **fields)


def model(name="iris", *, memory=10, requirements=("sklearn",), **fields):
    fields.setdefault("spec", {"storageUri": f"gs://models/{name}", "memory": memory})
    return ServedModel(key(name), requirements=tuple(requirements), memory_mib=memory, **fields)


def default_profiles():
    scorers = tuple(Weighted(each(), level=level) for level, each in enumerate(SCORERS))
    return {name: Profile(name, MaxScore(), tuple(each() for each in FILTERS), scorers) for name in ("all", "minimum")}


def planner(servers, bookings=(), profiles=None):
    return Planner(Ledger(servers, bookings), Decider(profiles or default_profiles()))


def state(servers, bookings=()):
    return ServingState(planner(servers, bookings))


def table(*servers):
    return ReplicaTable([ServerBook.of(each) for each in servers])


def ask(need=10, requirements=("sklearn",), **fields):
    return Ask(need, tuple(requirements), **fields)


def subject(asked=None, desired=1, **fields):
    return Subject(key(), asked or ask(), desired, **fields)


def codes(plugin, on, about):
    """By key of the row, what a filter says of it: code, curable, needed, free, and further details."""
    cycle = Cycle(about, about.ask)
    told = explain(bind(Profile("p", MaxScore(), (plugin,)), on.table.schema), on.table, about.ask, cycle)
    return {on.table.keys[row]: each for row, each in told.rejections().items()}


def scores(plugin, on, about):
    """By key of the row, the score."""
    cycle = Cycle(about, about.ask)
    told = explain(bind(Profile("p", MaxScore(), (), (plugin,)), on.table.schema), on.table, about.ask, cycle)
    return {each.key: each.total for each in told.ranked()}


def keeps_its_promises(plugin, on, *subjects):
    for each in subjects:
        assert_contract(plugin, on.table, [each.ask], subject=each)
