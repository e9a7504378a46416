"""What a connection to an engine tells about the answer to a request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from bayplan.gateway.relay.engine_connection import EngineConnection, Fault
    from bayplan.gateway.relay.messages.response_head import ResponseHead


class Receiver(Protocol):
    """Gets one answer: its head, its body in pieces, and `completed` or `broken` at its end."""

    @property
    def is_head(self) -> bool:
        """The request was HEAD: its answer has no body, whatever its head says."""
        ...

    @property
    def wants_data(self) -> bool:
        """Chunks are wanted without their frames."""
        ...

    def connected(self, connection: EngineConnection) -> None:
        """A new connection is there."""

    def declined(self, connection: EngineConnection, head: ResponseHead, rest: bytes) -> bool:
        """Whether the answer is not wanted as it is: the connection is dropped, or opened later.

        Asked for answers with a status of 400 or more.
        """
        ...

    def whole(self, head: ResponseHead, body: bytes) -> None:
        """The answer has come and ended in one piece, and its connection is used for others by now."""

    def opened(self, head: ResponseHead) -> None:
        """The answer begins."""

    def forward(self, data: bytes) -> None:
        """A piece of the body, framed as it came; the first one may be empty."""

    def completed(self) -> None:
        """The answer has ended in order."""

    def broken(self, connection: EngineConnection | None, fault: Fault) -> None:
        """The engine failed; None: there was no connection."""
