"""How a gateway sends bodies, as it says in the first message of a stream."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum


class BodyMode(IntEnum):
    """Envoy's BodySendMode."""

    NONE = 0
    STREAMED = 1
    BUFFERED = 2
    BUFFERED_PARTIAL = 3
    FULL_DUPLEX_STREAMED = 4
    GRPC = 5


@dataclass(frozen=True, slots=True)
class Modes:
    """Modes of request and response, and whether a body is sent before the headers are answered.

    What follows from them is worked out once: gateways say the same with each request.
    """

    request: BodyMode = BodyMode.NONE
    response: BodyMode = BodyMode.NONE
    body_comes_unasked: bool = False
    is_known: bool = field(init=False)
    """Whether we speak them."""
    is_duplex: bool = field(init=False)
    """Request bodies go to the picker, and come back from it."""
    is_buffered: bool = field(init=False)
    """A request body comes in one piece, after the headers were let through."""
    reads_body: bool = field(init=False)
    """The request's body comes in time for a choice: in full, and before the request has to go on."""
    answers_in_duplex: bool = field(init=False)
    hides_answers: bool = field(init=False)
    """The bodies of answers never come here."""

    def __post_init__(self) -> None:
        request, response = self.request, self.response
        found = {
            "is_known": BodyMode.GRPC not in (request, response),
            "is_duplex": request is BodyMode.FULL_DUPLEX_STREAMED,
            "is_buffered": request is BodyMode.BUFFERED,
            "reads_body": request in (BodyMode.BUFFERED, BodyMode.FULL_DUPLEX_STREAMED)
            or (request is BodyMode.STREAMED and self.body_comes_unasked),
            "answers_in_duplex": response is BodyMode.FULL_DUPLEX_STREAMED,
            "hides_answers": response is BodyMode.NONE,
        }
        for name, value in found.items():
            object.__setattr__(self, name, value)


DUPLEX = Modes(BodyMode.FULL_DUPLEX_STREAMED, BodyMode.FULL_DUPLEX_STREAMED)
"""What gateways of the Inference Extension use; older ones do not say so."""
