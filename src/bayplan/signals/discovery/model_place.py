"""One version of a model on one server replica, as its booking and the replica's agent tell."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelPlace:
    """A booking of a model with what the agent says of it. `name` is what the model server calls this version.

    `rest` and `grpc` are `HOST:PORT`, `agent` is a URL; None: there is none. `is_loaded`: the server is connected and
    has the model, or had it until it was evicted; `is_resident` False: it was evicted, and the agent loads it back
    when asked.
    """

    model: str
    version: int
    name: str
    server: str
    index: int
    replica: str
    state: str
    rest: str | None = None
    grpc: str | None = None
    agent: str | None = None
    is_loaded: bool = False
    is_resident: bool = True
    may_evict: bool = False
    """More models are booked on the replica than fit into its memory at once: the agent wants to know of uses."""
    message: str = ""
    """What the agent says about a load that failed."""


@dataclass(frozen=True, slots=True)
class DeclaredModel:
    """A Model object: its state in the words of its status, empty where it has none yet, and the reason."""

    name: str
    state: str = ""
    reason: str = ""
    is_deleted: bool = False
