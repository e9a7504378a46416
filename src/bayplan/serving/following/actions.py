"""What a server replica is to do next."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from bayplan.cluster.serving_booking import LoadState

if TYPE_CHECKING:
    from bayplan.cluster.identity import WorkloadKey
    from bayplan.serving.books.model_replica import ModelReplica


class ActionKind(StrEnum):
    """Load a model, or unload it."""

    LOAD = "load"
    UNLOAD = "unload"


class Action(NamedTuple):
    """One order to a server replica; its answer comes back as an event."""

    kind: ActionKind
    key: WorkloadKey
    version: int
    server: str
    replica: int
    """The index of the server replica."""
    memory_mib: int


_KINDS = {LoadState.LOAD_REQUESTED: ActionKind.LOAD, LoadState.UNLOAD_REQUESTED: ActionKind.UNLOAD}


def action_of(model: ModelReplica) -> Action | None:
    """The order that the state of a booking asks for."""
    kind = _KINDS.get(model.state)
    if kind is None:
        return None
    return Action(kind, model.key, model.version, model.server, model.index, model.memory_mib)
