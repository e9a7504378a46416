"""How much one client may ask of the server, and how slow it may be."""

from __future__ import annotations

from dataclasses import dataclass

KIB = 1024
MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of connections, requests and users; each is far above what kubectl and controllers need."""

    connections: int = 4_000
    head_s: float = 10.0
    """From the first byte of a request, or from the connection, until its headers are whole."""
    head_bytes: int = 64 * KIB
    url_bytes: int = 16 * KIB
    headers: int = 100
    pipelined: int = 32
    """Requests that wait on one connection behind the one that is answered."""
    body_bytes: int = 3 * MIB
    """As the API server of Kubernetes."""
    body_s: float = 30.0
    send_s: float = 30.0
    """A client that does not read is cut off after this time, plus a second for each `slowest_bytes` that wait."""
    slowest_bytes: int = MIB
    idle_s: int = 90
    """A connection without a request; longer than the 90 s of Go's clients would only keep dead ones."""
    handshake_s: float = 10.0
    requests_per_s: float = 20_000.0
    """Of an administrator of all namespaces, as controllers have it."""
    tenant_requests_per_s: float = 1_000.0
    """Of each other token."""
    watches: int = 1_000
    """Open at once by one user; `tenant_watches` by each other than an administrator of all namespaces."""
    tenant_watches: int = 100
