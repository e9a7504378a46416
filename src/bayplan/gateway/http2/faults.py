"""What a peer can do wrong.

Http2Error              reason: the number that the peer is told
├── ConnectionFault     ends the connection with GOAWAY
└── StreamFault         ends one stream with RST_STREAM
"""

from __future__ import annotations

from bayplan.framework.errors import BayplanError
from bayplan.gateway.http2.codes import Reason


class Http2Error(BayplanError):
    """The peer broke a rule of HTTP/2, or one of our limits."""

    code = "http2"

    def __init__(self, reason: Reason, message: str) -> None:
        self.reason = reason
        super().__init__(f"{reason.name}: {message}")


class ConnectionFault(Http2Error):  # noqa: N818 - a fault of the peer, as the RFC's "connection error"
    """The connection cannot go on: both sides may hold different states."""


class StreamFault(Http2Error):  # noqa: N818 - as above
    """One stream cannot go on; the others do."""


def broken(message: str) -> ConnectionFault:
    """A rule of the protocol was broken, which ends the connection."""
    return ConnectionFault(Reason.PROTOCOL_ERROR, message)
