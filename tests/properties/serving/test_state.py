"""Serving over time: after any sequence of events the bookings keep to the rules, whichever models were looked at."""

from __future__ import annotations

from hypothesis import given, settings, strategies as st

import bayplan
from bayplan.cluster.server import ServerReplica
from bayplan.cluster.serving_booking import LoadState
from bayplan.framework.errors import InputError
from bayplan.library.planner import inventory_of
from bayplan.library.serving.serving_planner import serving_decider
from bayplan.manifests.fields import Fields, Findings
from bayplan.manifests.reader import Document
from bayplan.manifests.serving.seldon_model import collect_seldon_model
from bayplan.serving.books.ledger import Ledger
from bayplan.serving.following.actions import ActionKind
from bayplan.serving.following.serving_state import ServingState
from bayplan.serving.planning.planner import Planner
from bayplan.serving.statuses.model_status import ModelState, model_status
from properties.serving.strategies import bookings, document, models, servers

DECIDER = serving_decider()
EVENTS = (
    "apply", "apply", "apply", "delete", "up", "down", "drain", "loaded", "loaded", "load-failed", "unloaded",
    "unload-failed", "tick", "settle", "infer",
)  # fmt: skip


@st.composite
def histories(draw):
    """A cluster and a list of events; each event has a model and a number that chooses what it is about."""
    on = draw(servers())
    booked = draw(bookings(on, most=4))
    events = st.tuples(st.sampled_from(EVENTS), models(), st.integers(0, 30))
    return on, booked, draw(st.lists(events, max_size=12))


def state_of(on, booked):
    cluster = inventory_of({"servers": on, "bookings": booked}).cluster
    return ServingState(Planner(Ledger(cluster.servers, cluster.serving_bookings), DECIDER))


def read(model):
    data = document(model)
    return collect_seldon_model(Fields(data, Findings(Document(data, "model"))))


def act(state, event):
    """Let one event happen, if there is something that it can be about; the actions that follow."""
    verb, model, number = event
    return {
        "apply": lambda: applied(state, read(model)),
        "delete": lambda: state.delete(pick(state.models, number)) if state.models else None,
        "up": lambda: connected(state, number),
        "down": lambda: at_a_place(state, state.replica_down, number),
        "drain": lambda: at_a_place(state, state.drain, number),
        "loaded": lambda: answered(state, state.loaded, LoadState.LOAD_REQUESTED, number),
        "load-failed": lambda: answered(state, state.load_failed, LoadState.LOAD_REQUESTED, number),
        "unloaded": lambda: answered(state, state.unloaded, LoadState.UNLOAD_REQUESTED, number),
        "unload-failed": lambda: answered(state, state.unload_failed, LoadState.UNLOAD_REQUESTED, number),
        "tick": state.tick,
        "settle": state.settle,
        "infer": lambda: asked(state, number),
    }[verb]()


def asked(state, number):
    """A request to one of the models; it sets nothing off."""
    if state.models:
        state.infer(pick(state.models, number))


def pick(some, number):
    return list(some)[number % len(some)]


def connected(state, number):
    name = pick(state.ledger.servers, number)
    if number % 4 in state.ledger.servers[name].replicas:
        return None
    return state.replica_up(name, ServerReplica(number % 4, 100, ("sklearn", "onnx")))


def at_a_place(state, event, number):
    places = [(name, index) for name, book in state.ledger.servers.items() for index in book.replicas]
    return event(*pick(places, number)) if places else None


def answered(state, event, asked, number):
    waiting = [each for each in state.ledger.bookings if each.state is asked]
    each = pick(waiting, number) if waiting else None
    return event(each.key, each.server, each.index) if each else None


def applied(state, model):
    try:
        return state.apply(model)
    except InputError:
        assert state.models[model.key].model.deleted, "only a model that is still being deleted is refused"
        return None


def shown(state):
    return sorted((each.key, each.version, each.place, each.state, each.memory_mib) for each in state.ledger.bookings)


@given(histories())
def test_only_models_that_may_change_are_decided_anew_and_nothing_is_missed(history):
    on, booked, events = history
    quick, thorough = state_of(on, booked), state_of(on, booked)
    for event in events:
        act(quick, event)
        for key in thorough.models:
            thorough._doubt(key)
        act(thorough, event)
        assert shown(quick) == shown(thorough), event


@given(histories())
def test_what_must_hold_after_every_event(history):
    on, booked, events = history
    state = state_of(on, booked)
    before = {place: book.held_mib for place, book in replica_books(state)}
    for event in events:
        act(state, event)
        holds_memory(state, before)
        holds_versions(state)
        statuses_agree(state)
        before = {place: book.held_mib for place, book in replica_books(state)}


def replica_books(state):
    for name, book in state.ledger.servers.items():
        for index, each in book.replicas.items():
            yield (name, index), each


def holds_memory(state, before):
    """Bookings never take more than there is; what the file overbooked may only shrink. Sums are what they count."""
    for place, book in replica_books(state):
        holding = [each for each in book.models if each.holding]
        assert book.held_mib == sum(each.memory_mib for each in holding)
        memory = book.replica.memory_mib
        if memory is not None and book.held_mib > before.get(place, 0):
            assert book.held_mib <= memory * (100 + book.replica.overcommit_percent) // 100
        table = state.ledger.table
        free = table.table.columns["free_mib"][table.rows[place]].item()
        assert free == (-1 if book.free_mib is None else book.free_mib)
        resident = sum(each.memory_mib for each in book.models if each in state.residency)
        largest = max((each.memory_mib for each in book.models), default=0)
        assert memory is None or resident <= max(memory - book.replica.reserved_mib, largest)


def holds_versions(state):
    """The replicas that are to stay are all on one server, and not more than are wanted."""
    for key, known in state.models.items():
        if known.model.preloaded or known.model.deleted:
            continue
        plan = state.plan(key)
        if plan.verdict in ("fits", "partly"):
            assert not plan.added, "everything that fits was booked"
            assert len({server for server, _ in plan.places}) <= 1
            assert known.model.least <= len(plan.places) <= known.model.desired or not known.model.desired


def statuses_agree(state):
    for key, known in state.models.items():
        status = model_status(state.plan(key))
        own = [each for each in state.ledger.of(key) if each.version == known.version]
        available = sum(each.state is LoadState.AVAILABLE for each in own)
        assert status.available_replicas == available
        if known.model.deleted:
            holding = any(each.holding for each in state.ledger.of(key))
            assert (status.state is ModelState.TERMINATED) is not holding
        elif status.ready:
            assert available >= 1
        if status.state is ModelState.AVAILABLE and status.scheduled == "fully":
            assert available >= known.model.replicas


@given(histories())
def test_a_controller_hears_of_everything_that_servers_must_do(history):
    """Every booking that waits for a server was told as an action when it began to wait."""
    on, booked, events = history
    state = state_of(on, booked)
    kinds = {LoadState.LOAD_REQUESTED: ActionKind.LOAD, LoadState.UNLOAD_REQUESTED: ActionKind.UNLOAD}
    known = {each: each.state for each in state.ledger.bookings}
    for event in events:
        if event[0] == "settle":  # it plays the servers itself
            continue
        actions = act(state, event) or []
        told = {(each.kind, each.key, each.version, each.server, each.replica) for each in actions}
        waiting = {each for each in state.ledger.bookings if each.state in kinds and known.get(each) is not each.state}
        assert told == {(kinds[each.state], each.key, each.version, each.server, each.index) for each in waiting}
        known = {each: each.state for each in state.ledger.bookings}


@settings(max_examples=50)
@given(histories())
def test_rehearsals_end_as_the_state_does(history):
    on, booked, events = history
    state = state_of(on, booked)
    steps = []
    for verb, model, _ in events:
        if verb == "apply":
            steps.append({"apply": document(model)})
            applied(state, read(model))
        elif verb in ("tick", "settle"):
            steps.append({verb: {}})
            getattr(state, verb)()
    if not steps:
        return
    last = bayplan.rehearse(steps, {"servers": on, "bookings": booked})["steps"][-1]

    assert [each["state"] for each in last["bookings"]] == [each.state for each in state.ledger.bookings]
    assert {name: each["state"] for name, each in last["models"].items()} == {
        key.name: model_status(state.plan(key)).state for key in state.models
    }
