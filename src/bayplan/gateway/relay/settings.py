"""What a relay may be told: limits, patience, and which decisions are kept."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

from bayplan.framework.errors import InputError

KIB = 1024
MIB = 1024 * KIB


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a client may send, and how much is kept for it."""

    head_bytes: int = 64 * KIB
    headers: int = 128
    target_bytes: int = 16 * KIB
    body_bytes: int = 32 * MIB
    bodies_bytes: int = 1024 * MIB
    """Bodies of all requests together; more of them are refused with 503 until some have ended."""
    connections: int = 20_000
    ahead_bytes: int = 64 * KIB
    """Bytes that are kept of requests that a client sends before the one before them is answered."""
    write_bytes: int = 256 * KIB
    """Bytes that wait for a client to read them before its engine is made to wait too."""
    response_head_bytes: int = 64 * KIB


@dataclass(frozen=True, slots=True)
class Patience:
    """How long others are waited for, in seconds; looked at once a second."""

    head_s: float = 15.0
    """For the head of a request, from its first byte on."""
    body_s: float = 120.0
    keep_alive_s: float = 120.0
    """Between two requests of a client."""
    stall_s: float = 60.0
    """For a client that reads nothing although something was sent to it."""
    linger_s: float = 2.0
    """For a client that was refused to stop sending, so that it gets to read why."""
    handshake_s: float = 10.0
    connect_s: float = 2.0
    """For a connection to an engine."""
    first_byte_s: float = 600.0
    """For the first byte of an engine's answer: a prompt may have to wait for many others there."""
    stuck_s: float = 10.0
    """For the first byte of an engine of which nothing at all is heard meanwhile, its metrics included."""
    idle_s: float = 120.0
    """Between two pieces of an engine's answer."""
    pool_s: float = 4.0
    """For an unused connection to an engine: below the 5 s after which uvicorn, and so vLLM, closes it."""
    drain_s: float = 8.0
    """For requests to end after SIGTERM; whole supervisors give up after 10 s."""


@dataclass(frozen=True, slots=True)
class Retries:
    """What happens when an engine fails before the first byte of its answer was passed on."""

    most: int = 3
    """Engines that are tried after the first one."""
    most_for_status: int = 1
    """Engines that are tried after one that answered with such a status: what is wrong may be the request."""
    statuses: tuple[int, ...] = (500, 502, 503, 504)


@dataclass(frozen=True, slots=True)
class Records:
    """Which decisions are kept and shown."""

    kept: int = 1000
    """The newest of them."""
    every: int = 100
    """One of so many requests is kept, but no more than ten a second; 0: none but those that were asked for."""
    on_demand: bool = False
    """Whether clients may ask for theirs with a header."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that a relay may be told."""

    limits: Limits = field(default_factory=Limits)
    patience: Patience = field(default_factory=Patience)
    retries: Retries = field(default_factory=Retries)
    records: Records = field(default_factory=Records)

    def __post_init__(self) -> None:
        for part in (self.limits, self.patience):
            for each in fields(part):
                value = getattr(part, each.name)
                if value <= 0:
                    raise InputError(f"{value} is not more than 0", place=each.name)
        for name in ("most", "most_for_status"):
            if getattr(self.retries, name) < 0:
                raise InputError(f"{getattr(self.retries, name)} is less than 0", place=f"retries.{name}")
        if self.records.kept < 1 or self.records.every < 0:
            raise InputError("must be at least 1, and `every` at least 0", place="records.kept")
