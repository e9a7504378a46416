"""The head of a request, checked by the rules of RFC 9113 §8: what breaks them is malformed and ends its stream."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bayplan.gateway.http2.codes import Reason
from bayplan.gateway.http2.faults import StreamFault

if TYPE_CHECKING:
    from collections.abc import Iterable

_PSEUDO: Final = frozenset((b":method", b":scheme", b":path", b":authority"))
_NEEDED: Final = (b":method", b":scheme", b":path")
_OF_CONNECTIONS: Final = frozenset(
    (b"connection", b"keep-alive", b"proxy-connection", b"transfer-encoding", b"upgrade")
)
_NAME: Final = re.compile(rb"[!#$%&'*+\-.^_`|~0-9a-z]+")
_FORBIDDEN_IN_VALUES: Final = re.compile(rb"[\x00\r\n]|^[ \t]|[ \t]$")
_MOST_DIGITS: Final = 18  # of a content length; more is no size of anything


@dataclass(frozen=True, slots=True)
class RequestHead:
    """What a request begins with. `content_length` is None where none is told."""

    method: str
    path: str
    headers: dict[str, str]
    content_length: int | None


def read_head(headers: Iterable[tuple[bytes, bytes]]) -> RequestHead:
    """The head, or a StreamFault that names the header."""
    pseudo: dict[bytes, bytes] = {}
    plain: dict[str, str] = {}
    for name, value in headers:
        if name.startswith(b":"):
            _take_pseudo(pseudo, name, value, is_late=bool(plain))
        else:
            _check(name, value)
            key = name.decode("ascii")
            plain[key] = f"{plain[key]}, {value.decode('latin-1')}" if key in plain else value.decode("latin-1")
    for name in _NEEDED:
        if not pseudo.get(name):
            raise _malformed(f"{name.decode()} is missing or empty")
    return RequestHead(
        pseudo[b":method"].decode("latin-1"),
        pseudo[b":path"].decode("latin-1"),
        plain,
        _content_length(plain.get("content-length")),
    )


def check_trailers(headers: Iterable[tuple[bytes, bytes]]) -> None:
    """Trailers have no pseudo-headers."""
    for name, value in headers:
        if name.startswith(b":"):
            raise _malformed(f"trailers with {_shown(name)}")
        _check(name, value)


def _take_pseudo(pseudo: dict[bytes, bytes], name: bytes, value: bytes, *, is_late: bool) -> None:
    if name not in _PSEUDO:
        raise _malformed(f"no request has {_shown(name)}")
    if name in pseudo:
        raise _malformed(f"{_shown(name)} stands there twice")
    if is_late:
        raise _malformed(f"{_shown(name)} comes after other headers")
    if _FORBIDDEN_IN_VALUES.search(value):
        raise _malformed(f"the value of {_shown(name)}")
    pseudo[name] = value


def _check(name: bytes, value: bytes) -> None:
    if not _NAME.fullmatch(name):
        raise _malformed(f"{_shown(name)} is no name of a header in lower case")
    if name in _OF_CONNECTIONS:
        raise _malformed(f"{_shown(name)} is a header of HTTP/1.1")
    if name == b"te" and value != b"trailers":
        raise _malformed("te is not trailers")
    if _FORBIDDEN_IN_VALUES.search(value):
        raise _malformed(f"the value of {_shown(name)}")


def _content_length(text: str | None) -> int | None:
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
        raise _malformed(f"the content length is {text[:40]!r}")
    return int(text)


def _shown(name: bytes) -> str:
    return repr(name[:40].decode("latin-1"))


def _malformed(message: str) -> StreamFault:
    return StreamFault(Reason.PROTOCOL_ERROR, message)
