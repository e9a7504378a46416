"""A Model that holds memory of a server stays stored until it is unloaded: a finalizer says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.control.collections import SERVED_MODELS
from bayplan.control.store import Key
from bayplan.control.store_errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from bayplan.cluster.identity import WorkloadKey
    from bayplan.control.serving.fleet import Fleet
    from bayplan.control.store import Object, Store

FINALIZER = "seldon.model.finalizer"
"""The name that Seldon uses, so that its own tools know it."""


async def protect(store: Store, fleet: Fleet) -> None:
    """Every model that is about to be booked is kept until it is unloaded."""
    for key in fleet.state.concerned:
        document = fleet.document(key)
        if document is not None and fleet.state.ledger.of(key) and _may_get_it(document):
            await _patch(store, fleet, key, _with_finalizer)


async def release(store: Store, fleet: Fleet, keys: Iterable[WorkloadKey]) -> None:
    """Models that are being deleted and have nothing loaded any more may go."""
    for key in keys:
        if fleet.state.ledger.of(key):
            continue
        document = fleet.document(key)
        if document is None:
            fleet.state.forget(key)
        elif "deletionTimestamp" in document["metadata"] and FINALIZER in _finalizers(document):
            await _patch(store, fleet, key, _without_finalizer)


def _may_get_it(document: Object) -> bool:
    return FINALIZER not in _finalizers(document) and "deletionTimestamp" not in document["metadata"]


async def _patch(store: Store, fleet: Fleet, key: WorkloadKey, change: Callable[[Object], Object]) -> None:
    try:
        written = await store.patch(Key(SERVED_MODELS, key.namespace, key.name), change)
    except NotFoundError:
        return  # its deletion is heard of soon
    fleet.know(key, written.document())


def _with_finalizer(live: Object) -> Object:
    if "deletionTimestamp" not in live["metadata"] and FINALIZER not in _finalizers(live):
        live["metadata"]["finalizers"] = [*_finalizers(live), FINALIZER]
    return live


def _without_finalizer(live: Object) -> Object:
    live["metadata"]["finalizers"] = [each for each in _finalizers(live) if each != FINALIZER]
    return live


def _finalizers(document: Object) -> list[str]:
    return list(document["metadata"].get("finalizers") or ())
