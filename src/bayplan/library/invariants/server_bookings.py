"""What must hold of models on servers: memory is booked once, and a version of a model is on one server."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from bayplan.cluster.serving_booking import HERE, HOLDING
from bayplan.framework.errors import InputError
from bayplan.library.invariants.stored_objects import name_of
from bayplan.manifests.fields import read_whole
from bayplan.manifests.reader import Document
from bayplan.manifests.serving.server_replica import collect_server_replica

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.library.invariants.stored_objects import StoredObjects
    from bayplan.manifests.serving.server_replica import StoredReplica


def memory_beyond(objects: StoredObjects) -> Iterator[str]:
    """Server replicas whose models hold more memory than there is, overcommitment included."""
    for name, row in _rows(objects):
        if row is None:
            yield f"{name}: cannot be read, so what is booked there is not known"
        elif row.replica.memory_mib is not None:
            held_mib = sum(each.memory_mib for each in row.bookings if each.state in HOLDING)
            most_mib = row.replica.memory_mib * (100 + row.replica.overcommit_percent) // 100
            if held_mib > most_mib:
                yield f"{name}: models hold {held_mib} MiB, and it may hold {most_mib}"


def on_several_servers(objects: StoredObjects) -> Iterator[str]:
    """Versions of models that are on two servers, or twice on one replica."""
    servers: dict[tuple[str, str, int], set[str]] = defaultdict(set)
    for name, row in _rows(objects):
        seen: set[tuple[str, int]] = set()
        for each in () if row is None else row.bookings:
            if each.state in HERE:
                servers[each.namespace, each.model, each.version].add(each.server)
                if (each.model, each.version) in seen:
                    yield f"{name}: version {each.version} of model {each.key} is booked twice"
                seen.add((each.model, each.version))
    for (namespace, model, version), where in servers.items():
        if len(where) > 1:
            yield f"Model {namespace}/{model}: version {version} is on the servers {', '.join(sorted(where))}"


def _rows(objects: StoredObjects) -> Iterator[tuple[str, StoredReplica | None]]:
    for each in objects.of("ServerReplica"):
        try:
            yield name_of(each), read_whole(collect_server_replica, Document(each, name_of(each)), each)[0]
        except InputError:
            yield name_of(each), None
