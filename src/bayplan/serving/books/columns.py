"""The columns of the table of server replicas: one row for each replica, and one for a server that has none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from bayplan.framework.plugins import BoolArray, IndexArray

SERVER = "server"
"""The number of the row's server, in the order of names; rows of one server are a group."""

STATIC = ("server", "place", "index", "connected", "shared", "deleted", "draining", "capabilities_id", "empty_mib")
STATE = ("free_mib",)
CONSTANTS = ("servers", "capability_sets")
OF_SERVERS = ("group_rows_left", "group_sum_free_mib")
"""What scorers that rank servers may read besides: how many replicas passed, and the memory of those it would give."""

UNKNOWN_MIB = -1
"""Stands for memory that is not known: less than every need above 0."""


class ReplicaRows(Protocol):
    """Rows as plugins see them; each plugin sees the columns that it declares."""

    size: int
    server: IndexArray
    place: IndexArray
    """The number of the row in its table, by which the subject names its own rows."""
    index: IndexArray
    connected: BoolArray
    shared: BoolArray
    deleted: BoolArray
    capabilities_id: IndexArray
    empty_mib: IndexArray
    free_mib: IndexArray
    draining: BoolArray
    servers: tuple[str, ...]
    capability_sets: tuple[frozenset[str], ...]
