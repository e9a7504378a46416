"""What a connection of a client needs of whoever answers its requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from bayplan.gateway.relay.client_connection import ClientConnection
    from bayplan.gateway.relay.messages.known_requests import KnownRequests
    from bayplan.gateway.relay.messages.request import Request
    from bayplan.gateway.relay.settings import Limits, Patience


class Answering(Protocol):
    """A request that is being answered by somebody else's bytes."""

    def cancel(self) -> None:
        """The client is gone."""

    def pause(self) -> None:
        """The client reads more slowly than it is sent to."""

    def resume(self) -> None:
        """The client has read what was waiting for it."""


class Service(Protocol):
    """Answers requests: each ends with `ClientConnection.finish`, or with its connection."""

    known: KnownRequests
    limits: Limits
    patience: Patience
    is_draining: bool

    def joined(self, connection: ClientConnection) -> bool:
        """A client has connected; False: there are too many."""
        ...

    def left(self, connection: ClientConnection) -> None:
        """A client has gone."""

    def has_room(self, body_bytes: int) -> bool:
        """Whether a body of this size may be kept in memory."""
        ...

    def cut_slow_client(self) -> None:
        """A client is cut off because it does not read."""

    def refused(self, status: int) -> None:
        """A request is refused before it was read whole."""

    def begin(self, request: Request, body: bytes, connection: ClientConnection) -> None:
        """Answer a request, now or later."""
