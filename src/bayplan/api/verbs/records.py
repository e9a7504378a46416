"""Records of decisions, and the cluster as the scheduler sees it, as answers to requests."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from bayplan.api.status import Refusal
from bayplan.control.collections import SERVERS
from bayplan.control.serving.scheduling import stored_servers
from bayplan.manifests.native.cluster_writer import write_cluster

if TYPE_CHECKING:
    from bayplan.api.backend import Backend
    from bayplan.control.system import ControlSystem

MOST_LISTED = 1_000


async def record_list(backend: Backend, most: str) -> dict[str, Any]:
    """The newest records without their plans."""
    if most and not (most.isascii() and most.isdigit() and 0 < int(most) <= MOST_LISTED):
        raise Refusal(400, f"limit: {most[:20]!r} is no whole number from 1 to {MOST_LISTED:,}")
    records = _control(backend).records
    found = await asyncio.to_thread(records.newest, int(most or 100))
    return {"kind": "RecordList", "items": found}


async def one_record(backend: Backend, id: str, *, inputs: bool) -> dict[str, Any]:  # noqa: A002
    """A record with its plan; with `inputs` also all that is needed to replay it."""
    records = _control(backend).records
    found = await asyncio.to_thread(records.export(id) if inputs else partial(records.get, id))
    if found is None:
        raise Refusal(404, f"there is no record {id[:80]!r}; GET /v1/records lists them, and only the newest are kept")
    return found


async def snapshot(backend: Backend) -> dict[str, Any]:
    """The cluster with all its bookings as a Cluster file, for plans and questions without a server.

    Of servers of the same name in several namespaces, which a file cannot tell apart, the first namespace counts.
    """
    cluster = _control(backend).scheduling.live.state.result()
    found = await backend.store.list(SERVERS)
    for namespace in sorted({each.document()["metadata"]["namespace"] for each in found.items}):
        there = await stored_servers(backend.store, namespace)
        known = {each.name for each in cluster.servers}
        cluster = replace(
            cluster,
            servers=(*cluster.servers, *(each for each in there.servers if each.name not in known)),
            serving_bookings=(
                *cluster.serving_bookings,
                *(each for each in there.serving_bookings if each.server not in known),
            ),
        )
    return await asyncio.to_thread(write_cluster, cluster)


def _control(backend: Backend) -> ControlSystem:
    if backend.control is None:
        raise Refusal(409, "no scheduler runs beside this server")
    return backend.control
