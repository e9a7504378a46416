"""The body of a request as data: guarded against hostile text, and surely an object."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import orjson

from bayplan.api.status import Refusal
from bayplan.control.resources.protobuf import MEDIA_TYPE, read_protobuf
from bayplan.framework.errors import InputError
from bayplan.manifests.json_text import read_json
from bayplan.manifests.limits import DOCUMENT
from bayplan.manifests.reader import read_text

LIMITS = replace(DOCUMENT, nodes=50_000, yaml_events_of_a_small_text=100_000)
"""One object, not a file of many: the work of all checks grows with its nodes."""
_SOURCE = "body"
_LONG_INTEGER = re.compile(rb"[0-9]{19}")  # 2 ** 63 has as many digits
_JSON_TYPES = ("", "application/json", "application/merge-patch+json", "application/strategic-merge-patch+json")
_YAML_TYPES = ("application/yaml", "application/x-yaml", "text/yaml", "application/apply-patch+yaml")


def read_body(body: bytes, media: str) -> dict[str, Any]:
    """The object in a body; 400 names the line of what cannot be read, 415 the media types that are."""
    data = read_value(body, media)
    if not isinstance(data, dict):
        raise Refusal(400, "the body is no object; send one JSON or YAML object")
    return data


def read_value(body: bytes, media: str) -> Any:
    """Whatever JSON or YAML value a body holds."""
    try:
        if media in _YAML_TYPES:
            return _yaml(body)
        if media == MEDIA_TYPE:
            return read_protobuf(body)
        if media in _JSON_TYPES or media.endswith("+json"):
            return _of_64_bits(read_json(body, _SOURCE, LIMITS), body)
    except InputError as error:
        raise Refusal(413 if len(body) > LIMITS.bytes_per_document else 400, str(error)) from None
    known = ", ".join((_JSON_TYPES[1], _YAML_TYPES[0]))
    raise Refusal(415, f"a body of type {media[:80]!r} is not read; send {known}")


def _yaml(body: bytes) -> Any:
    documents = read_text(body, _SOURCE, LIMITS)
    if len(documents) != 1:
        raise Refusal(400, f"the body holds {len(documents)} documents; send one")
    return _as_json(documents[0].data)


def _of_64_bits(data: Any, body: bytes) -> Any:
    """The same where no integer can be longer; looking at the text takes far less time than a copy."""
    return _as_json(data) if _LONG_INTEGER.search(body) else data


def _as_json(data: Any) -> Any:
    """A copy, because YAML aliases share values; integers of more than 64 bits become floats, as on Kubernetes."""
    try:
        return orjson.loads(orjson.dumps(data))
    except orjson.JSONEncodeError:
        return orjson.loads(json.dumps(data))
