"""A request as a client sent it, whole."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Request:
    """One request. `target` is its path with its query, `headers` are as they came, in order."""

    method: bytes
    target: bytes
    headers: list[tuple[bytes, bytes]]
    body: bytes
    keeps_alive: bool
    is_old: bool
    """HTTP/1.0: the client reads no chunks."""

    @property
    def path(self) -> str:
        """The target without its query."""
        return self.target.partition(b"?")[0].decode("latin-1")
