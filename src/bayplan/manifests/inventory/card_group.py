"""Cards of a Node that are alike: what the readers of labels find, before each card gets its index."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CardGroup:
    """Cards that only their index tells apart; `places` is how often each is offered, None where it is not shared."""

    runtime: str
    count: int
    model: str | None = None
    memory_mib: int | None = None
    places: int | None = None
