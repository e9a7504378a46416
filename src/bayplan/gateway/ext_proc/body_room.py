"""How much of the bodies of requests is kept in memory: of one, and of all together."""

from __future__ import annotations

MIB = 1024 * 1024


class BodyRoom:
    """Bodies are kept until the router has decided; in full duplex they have to come back from here."""

    __slots__ = ("bodies_bytes", "body_bytes", "held_bytes")

    def __init__(self, body_bytes: int = 32 * MIB, bodies_bytes: int = 1024 * MIB) -> None:
        self.body_bytes = body_bytes
        self.bodies_bytes = bodies_bytes
        self.held_bytes = 0

    def take(self, more_bytes: int) -> bool:
        """Whether there is room for so much more; then it counts until it is given back."""
        if self.held_bytes + more_bytes > self.bodies_bytes:
            return False
        self.held_bytes += more_bytes
        return True

    def give_back(self, fewer_bytes: int) -> None:
        """So much is no longer kept."""
        self.held_bytes -= fewer_bytes
