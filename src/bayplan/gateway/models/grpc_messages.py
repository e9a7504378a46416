"""Messages of V2 over gRPC: the model that they name, and the few that the gateway writes itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import bayplan
from bayplan.gateway.models.v2_question import QuestionError
from bayplan.gateway.protobuf.reader import LENGTH, WireError, fields
from bayplan.gateway.protobuf.writer import message, number, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SERVICE: Final = "inference.GRPCInferenceService"
_NAME: Final = 1
_VERSION: Final = 2
_MODEL_FIELDS: Final = (_NAME, _VERSION)
"""In every request about one model these are its name and its version."""

YES: Final = number(1, 1)
"""Of ServerLive, ServerReady and ModelReady."""
NO: Final = b""


def read_model(request: bytes) -> tuple[str, str]:
    """Name and version, as written; empty where they are absent."""
    found = {_NAME: "", _VERSION: ""}
    try:
        for field, kind, begin, end in fields(request):
            if field in found and kind == LENGTH:
                found[field] = request[begin:end].decode()
    except (WireError, UnicodeDecodeError) as problem:
        raise QuestionError(400, f"the request is no message of the V2 protocol: {problem}") from None
    return found[_NAME], found[_VERSION]


def with_model(request: bytes, name: str) -> bytes:
    """The same request for a model of another name, whose version is part of that name; all else byte for byte."""
    pieces, kept_from, at = [text(_NAME, name)], 0, 0
    for field, kind, _, end in fields(request):
        if field in _MODEL_FIELDS and kind == LENGTH:
            pieces.append(request[kept_from:at])
            kept_from = end
        at = end
    pieces.append(request[kept_from:])
    return b"".join(pieces)


def server_metadata() -> bytes:
    """The gateway itself."""
    return text(1, "bayplan") + text(2, bayplan.__version__) + text(3, "model_repository")


def repository_index(entries: Iterable[Mapping[str, Any]]) -> bytes:
    """Every model that is known, with its state."""
    keys = ("name", "version", "state", "reason")
    return b"".join(
        message(1, b"".join(text(place, each[key]) for place, key in enumerate(keys, 1) if each[key]))
        for each in entries
    )
