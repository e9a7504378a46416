"""How a gateway sends bodies, as it says in the first message of a stream."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class BodyMode(IntEnum):
    """Envoy's BodySendMode."""

    NONE = 0
    STREAMED = 1
    BUFFERED = 2
    BUFFERED_PARTIAL = 3
    FULL_DUPLEX_STREAMED = 4
    GRPC = 5


class Modes(NamedTuple):
    """Modes of request and response, and whether a body is sent before the headers are answered."""

    request: BodyMode = BodyMode.NONE
    response: BodyMode = BodyMode.NONE
    body_comes_unasked: bool = False

    @property
    def reads_body(self) -> bool:
        """Whether the request's body comes in time for a choice: in full, and before the headers have to go on."""
        return self.request in (BodyMode.BUFFERED, BodyMode.FULL_DUPLEX_STREAMED) or (
            self.request is BodyMode.STREAMED and self.body_comes_unasked
        )


DUPLEX = Modes(BodyMode.FULL_DUPLEX_STREAMED, BodyMode.FULL_DUPLEX_STREAMED)
"""What gateways of the Inference Extension use; older ones do not say so."""
