"""A request as documents write it: in full, with path, headers and body, or in short."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson

from bayplan.framework.errors import InputError
from bayplan.manifests.values import count, name, number, priority, text, what

if TYPE_CHECKING:
    from bayplan.manifests.fields import Fields

COMPLETIONS, CHAT = "/v1/completions", "/v1/chat/completions"
_OF_THE_BODY = ("model", "messages", "max_tokens", "stream", "cache_salt")


@dataclass(frozen=True, slots=True)
class RequestForm:
    """What a client would send, and what a document says of it besides; None where it says nothing."""

    id: str
    path: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    subset: tuple[str, ...] | None = None
    priority: int | None = None
    fairness_id: str | None = None
    size_bytes: int | None = None
    ttl_s: float | None = None


def read_request(fields: Fields, number_of_request: int = 1) -> RequestForm:
    """The request; one without an id is called by its number."""
    path, body = _content(fields)
    found = RequestForm(
        id=fields.read("id", name, f"request-{number_of_request}"),
        path=path,
        headers=fields.mapping("headers", _header),
        body=body,
        subset=fields.each("subset", text) if "subset" in fields else None,
        priority=fields.read("priority", priority),
        fairness_id=fields.read("fairnessId", name),
        size_bytes=fields.read("bytes", count),
        ttl_s=fields.read("ttlSeconds", _seconds),
    )
    fields.finish()
    return found


def _content(fields: Fields) -> tuple[str, bytes]:
    """Path and body: as given, or those that the short form stands for."""
    path = fields.read("path", text)
    short = {key: fields.raw(key) for key in _OF_THE_BODY if key in fields}
    prompt, tokens = fields.raw("prompt"), fields.raw("tokens")
    given = fields.raw("body")
    fields.ignore(*_OF_THE_BODY)
    if given is not None:
        return path or COMPLETIONS, _bytes(given, fields)
    if prompt is not None or tokens is not None:
        short["prompt"] = tokens if prompt is None else prompt
    if not short:
        return path or "", b""
    return path or (CHAT if "messages" in short else COMPLETIONS), _bytes(short, fields)


def _bytes(body: Any, fields: Fields) -> bytes:
    if isinstance(body, str):
        return body.encode()
    try:
        return orjson.dumps(body)
    except orjson.JSONEncodeError as problem:
        fields.add(f"cannot be sent as JSON: {problem}", "body", next="write it as text")
        return b""


def _header(value: object) -> str:
    """Text, or a number as it is written."""
    return f"{value:g}" if isinstance(value, float) else text(value)


def _seconds(value: object) -> float:
    """Seconds; 0 and less say that the request never expires."""
    if isinstance(value, int | float) and not isinstance(value, bool) and value <= 0:
        return float(value)
    try:
        return number(value)
    except InputError as problem:
        raise InputError(f"{what(value)} is no number of seconds", next=problem.next) from problem
