"""What the agent has done about one model of a server replica."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio


class State(StrEnum):
    """How far a model is, in the words of a ServerReplica's status."""

    LOADING = "loading"
    LOADED = "loaded"
    FAILED = "failed"
    UNLOADING = "unloading"
    UNLOADED = "unloaded"
    UNLOAD_FAILED = "unload-failed"


@dataclass(slots=True)
class ModelRecord:
    """One model. LOADED and not resident: it was evicted, or its server was started anew, and it will be loaded again.

    `task` is what is being done about it; there is never more than one.
    """

    name: str
    generation: int
    state: State = State.LOADING
    is_resident: bool = False
    message: str = ""
    instances: int = 1
    attempts: int = 0
    has_files: bool = False
    task: asyncio.Task[None] | None = field(default=None, repr=False)

    @property
    def is_busy(self) -> bool:
        return self.task is not None

    def document(self) -> dict[str, Any]:
        """Its entry in the status of the ServerReplica."""
        return {
            "name": self.name,
            "state": self.state.value,
            "resident": self.is_resident,
            "message": self.message,
            "instances": self.instances,
            "attempts": self.attempts,
            "generation": self.generation,
        }
