"""Equal cards of a Node, as the readers of labels find them before each card gets its index."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CardGroup:
    """Cards that differ only in their index; `places` is how often each is offered, None where it is not shared."""

    runtime: str
    count: int
    model: str | None = None
    memory_mib: int | None = None
    places: int | None = None
