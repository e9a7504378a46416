"""The head of a client's request: what the router reads of it, and what an engine gets to see."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from bayplan.routing.requests.header_fields import (
    FAIRNESS_ID,
    MODEL_REWRITE,
    OBJECTIVE,
    SLO_TPOT_MS,
    SLO_TTFT_MS,
    LowerCased,
    wants_cached_prefix,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

DECISION_HEADER: Final = "x-bayplan-decision"
"""A client asks with it for the record of its request's decision: `id` or `inline`."""
REQUEST_ID_HEADER: Final = "x-request-id"
_PREFER: Final = "prefer"

ROUTING_HEADERS: Final = frozenset(
    (*OBJECTIVE, *FAIRNESS_ID, *MODEL_REWRITE, *SLO_TTFT_MS, *SLO_TPOT_MS, DECISION_HEADER)
)
"""Read by the router, and not passed on."""

STEERING_HEADERS: Final = frozenset(
    (
        "x-gateway-destination-endpoint",
        "x-gateway-destination-endpoint-subset",
        "x-gateway-destination-endpoint-served",
        "x-prefiller-host-port",
        "x-encoder-hosts-ports",
        "x-data-parallel-host-port",
        "x-kv-cache-source-host-port",
    )
)
"""Written by the router alone: a client that sends one could make an engine call an address of the client's choice."""

HOP_HEADERS: Final = frozenset(
    (
        "connection", "keep-alive", "proxy-connection", "proxy-authorization", "te", "trailer", "transfer-encoding",
        "upgrade", "http2-settings", "expect", "content-length",
    )
)  # fmt: skip
"""They concern the connection to the client alone; the relay writes its own."""

_DROPPED: Final = ROUTING_HEADERS | STEERING_HEADERS | HOP_HEADERS
_KEPT_LINES: Final = 1_024
_KEPT_NAMES: Final = 4_096  # clients send few names; hostile ones must not fill the memory


class _Name(NamedTuple):
    text: str
    line_start: bytes | None  # None: not passed on


_names: dict[bytes, _Name] = {}


@dataclass(slots=True)
class RequestHead:
    """What was read of a head. `texts` has lower-case names, `lines` are passed on as they came."""

    texts: LowerCased
    lines: list[bytes]
    hosts: int


def read_request_head(headers: Iterable[tuple[bytes, bytes]]) -> RequestHead:
    """Sort the headers of a request; those of one name are joined by commas for the router."""
    texts = LowerCased()
    lines: list[bytes] = []
    hosts = 0
    for name, value in headers:
        known = _names.get(name)
        if known is None:
            known = _learn(name)
        text, start = known
        if text in texts:
            texts[text] = f"{texts[text]}, {value.decode('latin-1')}"
        else:
            texts[text] = value.decode("latin-1")
        if start is not None:
            lines += (start, value, b"\r\n")
        hosts += text == "host"
    head = RequestHead(texts, lines, hosts)
    connection = texts.get("connection")
    if connection is not None and connection.lower() not in ("keep-alive", "close"):
        _drop(head, {each.strip() for each in connection.lower().split(",")})
    if _PREFER in texts and wants_cached_prefix(texts):
        _drop(head, {_PREFER})
    return head


def without(head: RequestHead, names: Iterable[str]) -> list[bytes]:
    """The lines to pass on without those of some names."""
    dropped = {f"{each}: ".encode("latin-1") for each in names}
    lines = head.lines
    return [
        part
        for index in range(0, len(lines), 3)
        if lines[index].lower() not in dropped
        for part in lines[index : index + 3]
    ]


def _drop(head: RequestHead, names: set[str]) -> None:
    head.lines = without(head, names - {"host"})


def _learn(name: bytes) -> _Name:
    text = name.decode("latin-1").lower()
    known = _Name(text, None if text in _DROPPED else name + b": ")
    if len(_names) < _KEPT_NAMES and len(name) <= 64:
        _names[name] = known
    return known


def header_lines(headers: dict[str, str]) -> bytes:
    """Headers that the router adds; one with a line end in it, which would begin another, is left out."""
    if len(headers) == 1:
        ((name, value),) = headers.items()
        return _header_line(name, value)
    return b"".join([_header_line(name, value) for name, value in headers.items()])


@lru_cache(maxsize=_KEPT_LINES)
def _header_line(name: str, value: str) -> bytes:
    """Most are the addresses of endpoints, and the same again and again."""
    return f"{name}: {value}\r\n".encode("latin-1", "replace") if _is_plain(name) and _is_plain(value) else b""


def _is_plain(text: str) -> bool:
    return "\r" not in text and "\n" not in text and "\0" not in text
