"""What the gateway itself answers to V2 requests: its health, itself, and the models that it knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

import bayplan
from bayplan.gateway.models.v2_question import Own

if TYPE_CHECKING:
    from bayplan.gateway.models.directory import KnownModel, ModelDirectory


def own_answer(question: Own, directory: ModelDirectory) -> bytes:
    """The body of the answer."""
    if question is Own.METADATA:
        return orjson.dumps({"name": "bayplan", "version": bayplan.__version__, "extensions": ["model_repository"]})
    if question is Own.INDEX:
        return orjson.dumps(index(directory))
    return orjson.dumps({str(question): True})


def index(directory: ModelDirectory) -> list[dict[str, Any]]:
    """One entry for each version of each model, and one for a model that is booked nowhere."""
    return [entry for name, known in directory.models() for entry in _entries(name, known)]


def _entries(name: str, known: KnownModel) -> list[dict[str, Any]]:
    if not known.versions:
        return [{"name": name, "version": "", "state": "UNAVAILABLE", "reason": known.why_not()}]
    found = []
    for version in sorted(known.versions):
        is_ready = bool(known.serving(version))
        state = "READY" if is_ready else "LOADING" if known.is_coming(version) else "UNAVAILABLE"
        reason = "" if is_ready else known.why_not()
        found.append({"name": name, "version": str(version), "state": state, "reason": reason})
    return found
