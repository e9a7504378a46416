"""Servers and serving bookings as parts of a Cluster document; reading them gives equal nouns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.cluster.identity import DEFAULT_NAMESPACE

if TYPE_CHECKING:
    from bayplan.cluster.server import Server, ServerReplica
    from bayplan.cluster.serving_booking import ServingBooking


def write_server(server: Server) -> dict[str, Any]:
    """One server; memory that is not known is null."""
    limits = {
        "minReplicas": server.min_replicas,
        "maxReplicas": server.max_replicas,
        "expectedReplicas": server.expected,
    }
    return {
        "name": server.name,
        **({} if server.shared else {"shared": False}),
        "capabilities": list(server.capabilities),
        "memory": server.memory_mib,
        "overcommitPercent": server.overcommit_percent,
        **{key: value for key, value in limits.items() if value is not None},
        "replicas": _replicas(server),
    }


def _replicas(server: Server) -> int | list[dict[str, Any]]:
    """Their number where all are as the server says, else the list."""
    usual = tuple(server.replica(index) for index in range(len(server.replicas)))
    return len(usual) if usual == server.replicas else [_replica(each, server) for each in server.replicas]


def _replica(replica: ServerReplica, server: Server) -> dict[str, Any]:
    usual = server.replica(replica.index)
    own = {
        "memory": (replica.memory_mib, usual.memory_mib),
        "capabilities": (list(replica.capabilities), list(usual.capabilities)),
        "overcommitPercent": (replica.overcommit_percent, usual.overcommit_percent),
        "reserved": (replica.reserved_mib, 0),
        "draining": (replica.draining, False),
    }
    return {"index": replica.index, **{key: value for key, (value, default) in own.items() if value != default}}


def write_serving_booking(booking: ServingBooking) -> dict[str, Any]:
    """What one replica of a model holds on one server replica, with all its fields."""
    namespace = {} if booking.namespace == DEFAULT_NAMESPACE else {"namespace": booking.namespace}
    return {
        **namespace,
        "workload": booking.model,
        "version": booking.version,
        "server": booking.server,
        "serverReplica": booking.replica,
        "memory": booking.memory_mib,
        "state": booking.state.value,
        "instances": booking.instances,
        "dedicated": booking.dedicated,
    }
