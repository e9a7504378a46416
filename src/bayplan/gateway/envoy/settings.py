"""What an Envoy of ours may be told."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

MIB = 1024 * 1024


class Mode(StrEnum):
    """How request bodies reach the picker."""

    STREAMED = "streamed"
    """One round trip, and the body stays in Envoy: the fastest."""
    BUFFERED = "buffered"
    """Two round trips: headers first, then the body in one piece."""
    FULL_DUPLEX = "full-duplex"
    """The body goes to the picker and back, as gateways of the Inference Extension do it."""


@dataclass(frozen=True, slots=True)
class EnvoySettings:
    """One listener, and how it treats requests.

    `decision_s` is how long Envoy waits for the picker before it goes on without it; a request that the picker holds
    may wait for `hold_s`. With `sees_answers` each piece of an answer passes the picker: tokens are counted, and a
    renamed model gets its name back. `workers` is the number of Envoy's threads.
    """

    host: str = "127.0.0.1"
    port: int = 8080
    mode: Mode = Mode.STREAMED
    sees_answers: bool = False
    certificate: Path | None = None
    key: Path | None = None
    body_bytes: int = 32 * MIB
    workers: int = 2
    retries: int = 2
    connect_s: float = 2.0
    decision_s: float = 1.0
    hold_s: int = 3_600
    idle_s: float = 600.0  # without a byte in either direction: a prompt may have to wait for many others
    drain_s: float = 8.0

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65_535:
            raise InputError(f"{self.port} is not between 0 and 65535", place="--port", next="0 takes a free one")
        if (self.certificate is None) != (self.key is None):
            raise InputError("a certificate and its key belong together", place="--tls-cert", next="name both files")
        for name in ("body_bytes", "workers", "connect_s", "decision_s", "hold_s", "idle_s"):
            if getattr(self, name) <= 0:
                raise InputError(f"{getattr(self, name)} is not more than 0", place=name)

    def url(self, port: int) -> str:
        """What clients call."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'http' if self.certificate is None else 'https'}://{host}:{port}"
