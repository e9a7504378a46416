"""Decides and books on a store: read, decide, write if nobody else has, else all again.

One process runs it as a loop over what it has in memory. Several processes may call `schedule` on one store.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from bayplan.cluster.cluster import Cluster
from bayplan.control.collections import SERVED_MODELS, SERVER_CONFIGS, SERVER_REPLICAS, SERVERS
from bayplan.control.serving.booking import LOST, commit
from bayplan.control.serving.fleet import Fleet
from bayplan.control.serving.server_wish import server_wish
from bayplan.framework.errors import InputError
from bayplan.library.status.documents import part
from bayplan.manifests.fields import read_whole
from bayplan.manifests.reader import Document
from bayplan.manifests.serving.server_replica import collect_server_replica

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from bayplan.cluster.identity import WorkloadKey
    from bayplan.cluster.server import Server, ServerReplica
    from bayplan.control.store import Collection, Object, Store
    from bayplan.manifests.serving.server_replica import StoredReplica
    from bayplan.serving.books.model_replica import Place
    from bayplan.serving.decision.decider import Decider

    Connected = Callable[[Object], bool]
    """Whether a ServerReplica can be asked to load models."""

_log = logging.getLogger("bayplan.serving")


def is_told_connected(row: Object) -> bool:
    """For callers that know no Pods: what the agent says."""
    return part(row, "status").get("connected") is True


async def schedule(store: Store, namespace: str, decider: Decider, connected: Connected = is_told_connected) -> Fleet:
    """Place all models of a namespace as far as they fit; the fleet as it is booked now."""
    while True:
        fleet = await read_fleet(store, namespace, decider, connected)
        try:
            await carry_out(store, fleet, 0.0)
        except LOST:
            continue
        return fleet


async def carry_out(store: Store, fleet: Fleet, now: float) -> list[WorkloadKey]:
    """Write what has changed; the models that it concerns. A lost race raises one of LOST: read the fleet again."""
    concerned = fleet.state.take_concerned()
    fleet.wrote(await commit(store, fleet.changes(now), fleet.claims(concerned)))
    return concerned


async def read_fleet(store: Store, namespace: str, decider: Decider, connected: Connected) -> Fleet:
    """The fleet as it is stored now."""
    rows = await _list(store, SERVER_REPLICAS, namespace)
    servers, replicas = await _read_servers(store, namespace, rows, connected)
    return Fleet(servers, rows, replicas, await _list(store, SERVED_MODELS, namespace), decider)


async def stored_servers(store: Store, namespace: str, connected: Connected = is_told_connected) -> Cluster:
    """The Servers of a namespace with their connected replicas and all that is booked there, for plans and answers."""
    rows = await _list(store, SERVER_REPLICAS, namespace)
    servers, replicas = await _read_servers(store, namespace, rows, connected)
    bookings = tuple(each for replica in replicas.values() for each in replica.bookings)
    return Cluster(servers=tuple(servers), serving_bookings=bookings)


async def _read_servers(
    store: Store, namespace: str, rows: list[Object], connected: Connected
) -> tuple[list[Server], dict[Place, StoredReplica]]:
    configs = await _list(store, SERVER_CONFIGS, "")
    servers = servers_of(await _list(store, SERVERS, namespace), configs)
    known = {each.name for each in servers}
    replicas = {
        (found.server, found.replica.index): found
        for row in rows
        if connected(row) and (found := read_replica(row)) is not None and found.server in known
    }
    return [replace(each, replicas=_of_server(each.name, replicas.values())) for each in servers], replicas


def _of_server(name: str, replicas: Iterable[StoredReplica]) -> tuple[ServerReplica, ...]:
    return tuple(each.replica for each in replicas if each.server == name)


def servers_of(documents: Iterable[Object], configs: list[Object]) -> list[Server]:
    """The Servers that can be read, without replicas."""
    found = []
    for each in documents:
        try:
            found.append(server_wish(each, configs).server)
        except InputError as error:
            _log.warning("a Server is left out: %s", error)
    return found


def read_replica(row: Object) -> StoredReplica | None:
    """A ServerReplica; None where it cannot be read."""
    metadata = row["metadata"]
    try:
        document = Document(row, f"ServerReplica {metadata['namespace']}/{metadata['name']}")
        return read_whole(collect_server_replica, document, row)[0]
    except InputError as error:
        _log.warning("a ServerReplica is left out: %s", error)
        return None


async def _list(store: Store, collection: Collection, namespace: str) -> list[Object]:
    return [each.document() for each in (await store.list(collection, namespace)).items]
