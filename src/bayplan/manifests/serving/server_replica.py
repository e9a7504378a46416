"""ServerReplica of `bayplan.io`: one replica of a server as it is stored, with the bookings on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.cluster.server import ServerReplica
from bayplan.cluster.serving_booking import LoadState, ServingBooking
from bayplan.manifests.fields import present
from bayplan.manifests.native.metadata import read_id
from bayplan.manifests.native.server import read_capabilities
from bayplan.manifests.values import count, flag, one_of, positive, text

if TYPE_CHECKING:
    from bayplan.manifests.fields import Fields

_OF_LOADING = (
    "name", "generation", "storageUri", "modelType", "requirements", "parameters", "secretName", "explainer", "llm",
    "artifactVersion",
)  # fmt: skip
"""Fields of a booking that say how a model is loaded, and not what it holds."""


@dataclass(frozen=True, slots=True)
class StoredReplica:
    """`told` says whether the agent calls its server connected; whether its Pod runs is another question."""

    namespace: str
    server: str
    pod: str
    replica: ServerReplica
    bookings: tuple[ServingBooking, ...]
    told: bool


def collect_server_replica(fields: Fields) -> StoredReplica | None:
    """A replica as far as it can be read; None where it cannot."""
    identity = read_id(fields)
    fields.ignore("apiVersion", "kind")
    spec, status = fields.child("spec"), fields.child("status")
    server, index = spec.need("server", text, "?"), spec.need("index", count, 0)
    replica = spec.build(
        ServerReplica,
        index=index,
        memory_mib=spec.read("memory", count),
        capabilities=read_capabilities(spec, "capabilities"),
        overcommit_percent=spec.read("overcommitPercent", count, 0),
        draining=spec.read("draining", flag, False),
    )
    pod = spec.read("pod", text, "")
    bookings = present(_booking(each, identity.namespace, server, index) for each in spec.children("models"))
    spec.ignore("backend", "requests")
    spec.finish()
    told = status.read("connected", flag, False)
    fields.finish()
    if replica is None:
        return None
    return StoredReplica(identity.namespace, server, pod, replica, bookings, told)


def _booking(fields: Fields, namespace: str, server: str, index: int) -> ServingBooking | None:
    fields.ignore(*_OF_LOADING)
    booking = fields.build(
        ServingBooking,
        model=fields.need("model", text, "?"),
        server=server,
        replica=index,
        version=fields.read("version", positive, 1),
        memory_mib=fields.read("memory", count, 0),
        state=fields.read("state", one_of(LoadState), LoadState.LOAD_REQUESTED),
        instances=fields.read("instances", positive, 1),
        dedicated=fields.read("dedicated", flag, False),
        namespace=namespace,
    )
    fields.finish()
    return booking
