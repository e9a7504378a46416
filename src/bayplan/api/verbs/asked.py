"""What a question about an object is really about: a Pod of a pool is placed as the pool asks, not as the Pod does."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from bayplan.control.collections import AGENT_CLASSES, DEPLOYMENTS, POD_GROUPS, PODS
from bayplan.control.scheduling.units import is_counted, unit_of
from bayplan.control.store import Key
from bayplan.control.store_errors import NotFoundError
from bayplan.manifests.marks import DEVICES, RECORD, SHARD
from bayplan.manifests.owners import controller_of

if TYPE_CHECKING:
    from bayplan.control.scheduling.units import UnitKey
    from bayplan.control.store import Object, Store

_TOGETHER = 500  # Pods that are read before others have the event loop


@dataclass(frozen=True, slots=True)
class Asked:
    """The documents to explain, and the object that they describe."""

    documents: list[Object]
    object: dict[str, str]


async def asked_documents(store: Store, document: Object) -> Asked:
    """The object that decides where a Pod goes, with all that it refers to; any other object is asked about itself."""
    if document["kind"] == "Pod" and (first := (document["metadata"].get("labels") or {}).get(SHARD)):
        document = await _get(store, Key(PODS, document["metadata"]["namespace"], first)) or document
    if document["kind"] == "Pod" and (unit := unit_of(document)).collection != PODS:
        owner = await _get(store, unit.object)
        if unit.collection == POD_GROUPS:
            return Asked([*([owner] if owner else ()), *await _members(store, unit)], _named(owner or document))
        document = owner or document
    if document["kind"] == "ReplicaSet":  # bookings of its Pods are held under the name of the Deployment
        above = controller_of(document["metadata"], document["metadata"]["namespace"])
        if above is not None and above.kind == "Deployment":
            document = await _get(store, Key(DEPLOYMENTS, above.namespace, above.name)) or document
    classes: list[Object] = []
    if document["kind"] == "AgentPool":
        classes = [each.document() for each in (await store.list(AGENT_CLASSES)).items]
    return Asked([*classes, document], _named(document))


async def _members(store: Store, group: UnitKey) -> list[Object]:
    """The Pods of a group, as the scheduler counts them."""
    found = []
    for number, each in enumerate((await store.list(PODS, group.namespace)).items):
        pod = each.document()
        if unit_of(pod) == group and is_counted(pod):
            found.append(pod)
        if number % _TOGETHER == _TOGETHER - 1:
            await asyncio.sleep(0)
    return found


async def _get(store: Store, key: Key) -> Object | None:
    try:
        return (await store.get(key)).document()
    except NotFoundError:
        return None


def _named(document: Object) -> dict[str, str]:
    metadata = document["metadata"]
    return {"kind": document["kind"], "namespace": metadata.get("namespace", ""), "name": metadata["name"]}


def bound_of(document: Object) -> dict[str, Any] | None:
    """Where a Pod is, and the record of the decision; None for what is not bound."""
    if document["kind"] != "Pod" or not document["spec"].get("nodeName"):
        return None
    told = document["metadata"].get("annotations") or {}
    try:
        gpus = orjson.loads(told.get(DEVICES, "[]"))
    except orjson.JSONDecodeError:
        gpus = []
    return {"worker": document["spec"]["nodeName"], "gpus": gpus, "record": told.get(RECORD)}
