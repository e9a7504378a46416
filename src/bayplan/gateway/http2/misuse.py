"""How many frames without use a peer may send: resets of unanswered calls, pings, empty frames."""

from __future__ import annotations

from bayplan.gateway.http2.codes import Reason
from bayplan.gateway.http2.faults import ConnectionFault


class Misuse:
    """A count that time forgives. Each such frame is cheap and legal; thousands a second are an attack.

    Streams that are opened and reset at once ("rapid reset") never reach the limit on streams: they count here.
    """

    __slots__ = ("_burst", "_count", "_per_s", "_since_s")

    def __init__(self, burst: int, per_s: float, now: float) -> None:
        self._burst = burst
        self._per_s = per_s
        self._count = 0.0
        self._since_s = now

    def add(self, now: float, what: str) -> None:
        """Count one; too many end the connection."""
        forgiven = (now - self._since_s) * self._per_s
        self._since_s = now
        self._count = max(0.0, self._count - forgiven) + 1
        if self._count > self._burst:
            raise ConnectionFault(Reason.ENHANCE_YOUR_CALM, f"too many frames without use, the last of them {what}")
