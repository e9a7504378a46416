"""One step of a rehearsal: an event that happens to models and servers, with what it is about."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from bayplan.cluster.identity import DEFAULT_NAMESPACE, WorkloadKey
from bayplan.framework.errors import InputError
from bayplan.framework.nearest import did_you_mean
from bayplan.manifests.native.server import read_replica
from bayplan.manifests.owners import api_group
from bayplan.manifests.serving.seldon_model import collect_seldon_model
from bayplan.manifests.values import count, name, what

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.manifests.fields import Fields
    from bayplan.serving.following.serving_state import Served, ServingState

Event: TypeAlias = "Callable[[ServingState], Served | None]"

_GROUP = "mlops.seldon.io"
_KIND = "Model"


def read_step(fields: Fields) -> Event:
    """The event of a step; InputError with the place of what is wrong."""
    inner = fields
    if "do" in fields:
        fields.ignore("expect")  # what a case file compares with
        inner = fields.child("do")
        fields.finish()
    verbs = list(inner)
    if len(verbs) != 1 and not inner.broken():
        inner.add(f"a step is one event, not {len(verbs)}", next=f"write one of {', '.join(_VERBS)}")
    elif verbs and verbs[0] not in _VERBS:
        inner.add(f"there is no event {what(verbs[0])}", next=did_you_mean(verbs[0], _VERBS))
    fields.findings.check()
    event = _VERBS[verbs[0]](inner, verbs[0])
    fields.findings.check()
    return event


def _apply(fields: Fields, verb: str) -> Event:
    document = fields.child(verb)
    kind, version = document.raw("kind"), document.raw("apiVersion")
    if kind not in (None, _KIND) or (version is not None and api_group(version) != _GROUP):
        document.add(f"{what(kind)} of {what(version)} is not applied here", "kind", next=f"give a Model of {_GROUP}")
    model = collect_seldon_model(document)
    return lambda state: _done(state.apply(model))


def _delete(fields: Fields, verb: str) -> Event:
    model = fields.read(verb, name, "")
    return lambda state: _done(state.delete(_key(state, model)))


def _replica_up(fields: Fields, verb: str) -> Event:
    inner = fields.child(verb)
    server, index = inner.need("server", name, ""), inner.need("index", count, 0)
    inner.ignore("draining")

    def event(state: ServingState) -> None:
        described = state.ledger.server(server).server
        replica = read_replica(inner, described, index)
        inner.finish()
        inner.findings.check()
        if replica is not None:
            state.replica_up(server, replica)

    return event


def _of_replica(fields: Fields, verb: str) -> Event:
    inner = fields.child(verb)
    server, index = inner.need("server", name, ""), inner.need("index", count, 0)
    inner.finish()
    if verb == "drain":
        return lambda state: _done(state.drain(server, index))
    return lambda state: _done(state.replica_down(server, index))


def _answer(fields: Fields, verb: str) -> Event:
    """What a server replica answers to an order."""
    inner = fields.child(verb)
    model, server, index = inner.need("model", name, ""), inner.need("server", name, ""), inner.need("index", count, 0)
    inner.finish()
    method = verb.replace("-", "_")
    return lambda state: _done(getattr(state, method)(_key(state, model), server, index))


def _infer(fields: Fields, verb: str) -> Event:
    inner = fields.child(verb)
    model, server, index = inner.need("model", name, ""), inner.read("server", name), inner.read("index", count)
    inner.finish()
    return lambda state: state.infer(_key(state, model), server, index)


def _tick(fields: Fields, verb: str) -> Event:
    fields.child(verb).finish()
    return lambda state: _done(state.tick())


def _settle(fields: Fields, verb: str) -> Event:
    fields.child(verb).finish()
    return lambda state: state.settle()


_VERBS: dict[str, Callable[[Fields, str], Event]] = {
    "apply": _apply,
    "delete": _delete,
    "replica-up": _replica_up,
    "replica-down": _of_replica,
    "drain": _of_replica,
    "loaded": _answer,
    "load-failed": _answer,
    "unloaded": _answer,
    "unload-failed": _answer,
    "infer": _infer,
    "tick": _tick,
    "settle": _settle,
}


def _done(_: object) -> None:
    """A rehearsal shows the bookings; the orders to servers are in them."""


def _key(state: ServingState, written: str) -> WorkloadKey:
    """The model of that name, in any namespace; NAMESPACE/NAME where several have the name."""
    namespace, slash, model = written.rpartition("/")
    if slash:
        return WorkloadKey(namespace, model)
    found = [key for key in dict.fromkeys((*state.models, *state.ledger.models)) if key.name == written]
    if len(found) > 1:
        names = " or ".join(f"{key.namespace}/{key.name}" for key in found[:2])
        raise InputError(f"{len(found)} models are called {written!r}", place="model", next=f"write {names}")
    return found[0] if found else WorkloadKey(DEFAULT_NAMESPACE, written)
