"""What a replay asks: which engine gets a request, and when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.sim.routing.trace import TraceRequest

Sends: TypeAlias = "Sequence[tuple[str, int]]"
"""Requests that go to engines now: the request's id and the number of the engine."""


class Picker(Protocol):
    """A policy. Each call may send requests; a request that is not sent is held until a later call sends it."""

    name: str

    def arrive(self, request: TraceRequest, now: float) -> Sends:
        """A request has arrived."""
        ...

    def first_token(self, id_: str, now: float) -> Sends:
        """Its prompt has been computed."""
        ...

    def complete(self, id_: str, now: float) -> Sends:
        """Its last token has come."""
        ...

    def lose(self, engine: int, pending: Sequence[TraceRequest], now: float) -> Sends:
        """An engine is gone with all its requests; `pending` had no first token and are the picker's again."""
        ...

    def regain(self, engine: int, now: float) -> Sends:
        """An engine is there again, with an empty cache."""
        ...

    def tick(self, now: float) -> Sends:
        """Something happened at another router of the pool."""
        ...
