"""A serving booking: what one replica of a model holds on one server replica, and how far its loading is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bayplan.cluster.identity import DEFAULT_NAMESPACE, WorkloadKey
from bayplan.cluster.quantities import refuse_negative


class LoadState(StrEnum):
    """How far the loading or unloading of a model on a server replica is."""

    LOAD_REQUESTED = "load-requested"
    LOADING = "loading"
    LOADED = "loaded"
    AVAILABLE = "available"
    LOADED_UNAVAILABLE = "loaded-unavailable"
    LOAD_FAILED = "load-failed"
    DRAINING = "draining"
    UNLOAD_REQUESTED = "unload-requested"
    UNLOADING = "unloading"
    UNLOADED = "unloaded"
    UNLOAD_FAILED = "unload-failed"


HERE = frozenset(
    {
        LoadState.LOAD_REQUESTED,
        LoadState.LOADING,
        LoadState.LOADED,
        LoadState.AVAILABLE,
        LoadState.LOADED_UNAVAILABLE,
    }
)
"""The model is on the replica or on its way there; it holds memory."""

LEAVING = frozenset({LoadState.DRAINING, LoadState.UNLOAD_REQUESTED, LoadState.UNLOADING, LoadState.UNLOAD_FAILED})
"""The model is on its way out of the replica; it still holds memory."""

HOLDING = HERE | LEAVING
"""The states that hold memory; `load-failed` and `unloaded` hold none."""


@dataclass(frozen=True, slots=True)
class ServingBooking:
    """One replica of one version of a model on one server replica; `replica` is the index of the server replica.

    `instances` is how many copies the server runs of it; `memory_mib` is the memory of all of them.
    """

    model: str
    server: str
    replica: int
    version: int = 1
    memory_mib: int = 0
    state: LoadState = LoadState.AVAILABLE
    instances: int = 1
    dedicated: bool = False
    namespace: str = DEFAULT_NAMESPACE

    def __post_init__(self) -> None:
        refuse_negative({"serverReplica": self.replica, "memory": self.memory_mib})

    @property
    def key(self) -> WorkloadKey:
        """The model that it belongs to."""
        return WorkloadKey(self.namespace, self.model)
