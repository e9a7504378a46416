"""Serving bookings of a Cluster document: which server replica holds which model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cluster.identity import DEFAULT_NAMESPACE
from bayplan.cluster.serving_booking import LoadState, ServingBooking
from bayplan.manifests.values import claim_mib, count, flag, name, one_of, positive

if TYPE_CHECKING:
    from bayplan.manifests.fields import Fields

_state = one_of(LoadState)


def is_serving(fields: Fields) -> bool:
    """Whether a booking is about a server, and not about a worker."""
    return "server" in fields


def read_serving_booking(fields: Fields) -> ServingBooking | None:
    """What one replica of a model holds on one server replica."""
    booking = fields.build(
        ServingBooking,
        model=fields.need("workload", name, ""),
        server=fields.need("server", name, ""),
        replica=fields.need("serverReplica", count, 0),
        version=fields.read("version", positive, 1),
        memory_mib=fields.read("memory", claim_mib, 0),
        state=fields.read("state", _state, LoadState.AVAILABLE),
        instances=fields.read("instances", positive, 1),
        dedicated=fields.read("dedicated", flag, False),
        namespace=fields.read("namespace", name, DEFAULT_NAMESPACE),
    )
    fields.ignore("resident")  # a rehearsal says it of each booking
    fields.finish()
    return booking
