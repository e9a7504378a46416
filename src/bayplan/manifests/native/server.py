"""Servers that hold many models, and their replicas, in a Cluster document."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from bayplan.cluster.server import Server, ServerReplica
from bayplan.framework.errors import InputError
from bayplan.manifests.fields import present
from bayplan.manifests.values import capacity_mib, claim_mib, count, flag, name, text, what

if TYPE_CHECKING:
    from bayplan.manifests.fields import Fields

_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_LONGEST_NAME = 253
MOST_REPLICAS = 100_000  # `replicas: N` makes a replica from a few bytes, so it needs a bound of its own


def read_server(fields: Fields) -> Server | None:
    """One server; replicas take over what they do not say themselves."""
    most = fields.read("maxReplicas", count)
    server = fields.build(
        Server,
        name=fields.need("name", server_name, "?"),
        shared=fields.read("shared", flag, True),
        capabilities=read_capabilities(fields, "capabilities"),
        memory_mib=fields.read("memory", capacity_mib),
        overcommit_percent=fields.read("overcommitPercent", count, 0),
        min_replicas=fields.read("minReplicas", count),
        max_replicas=most or None,
        expected=fields.read("expectedReplicas", count),
    )
    replicas = _replicas(fields, server or Server("?"))
    fields.finish()
    if server is None or fields.broken():
        return None
    return fields.attempt(lambda: replace(server, replicas=replicas))


def read_capabilities(fields: Fields, key: str) -> tuple[str, ...]:
    """The names of a list: trimmed, without empty and repeated ones."""
    return unique(fields.each(key, text))


def unique(names: tuple[str, ...]) -> tuple[str, ...]:
    """Trimmed names, each once, without empty ones; the order stays."""
    return tuple(dict.fromkeys(trimmed for each in names if (trimmed := each.strip())))


def server_name(value: object) -> str:
    """The name of a model or server: it becomes a part of host names, so it has no dots."""
    found = name(value)
    if len(found) > _LONGEST_NAME or not _NAME.fullmatch(found):
        message = f"{what(found)} is no name of a model or server"
        raise InputError(message, next="write small letters, digits and -, beginning and ending without -")
    return found


def _replicas(fields: Fields, server: Server) -> tuple[ServerReplica, ...]:
    """A number of equal replicas, or a list of them."""
    if isinstance(fields.raw("replicas"), list | tuple):
        return present(_replica(each, server, number) for number, each in enumerate(fields.children("replicas")))
    number = fields.read("replicas", count, 1)
    if number > MOST_REPLICAS:
        fields.add(f"{number} replicas are too many", "replicas", next=f"write at most {MOST_REPLICAS:,}")
        return ()
    return tuple(server.replica(index) for index in range(number))


def _replica(fields: Fields, server: Server, number: int) -> ServerReplica | None:
    own = read_replica(fields, server, fields.read("index", count, number))
    fields.finish()
    return own


def read_replica(fields: Fields, server: Server, index: int) -> ServerReplica | None:
    """One replica; what it does not say is as its server says."""
    says = "capabilities" in fields
    return fields.build(
        ServerReplica,
        index=index,
        memory_mib=fields.read("memory", capacity_mib, server.memory_mib),
        capabilities=read_capabilities(fields, "capabilities") if says else _unsaid(fields, server),
        overcommit_percent=fields.read("overcommitPercent", count, server.overcommit_percent),
        reserved_mib=fields.read("reserved", claim_mib, 0),
        draining=fields.read("draining", flag, False),
    )


def _unsaid(fields: Fields, server: Server) -> tuple[str, ...]:
    fields.ignore("capabilities")
    return server.capabilities
