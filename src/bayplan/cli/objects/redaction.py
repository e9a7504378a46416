"""Secrets without their data, for everything that a command prints."""

from __future__ import annotations

from typing import Any

REDACTED = "<redacted>"
_DATA = ("data", "stringData")
_COPIES = ("kubectl.kubernetes.io/last-applied-configuration",)
"""Annotations in which kubectl keeps a copy of the whole object."""


def is_secret(document: Any) -> bool:
    """Whether a document is a Secret of the core API."""
    return isinstance(document, dict) and document.get("kind") == "Secret" and document.get("apiVersion") == "v1"


def redacted(document: Any) -> Any:
    """The document with the data of Secrets replaced, also inside lists; what is no Secret is returned as it is."""
    if isinstance(document, dict) and isinstance(document.get("items"), list):
        return document | {"items": [redacted(each) for each in document["items"]]}
    if not is_secret(document):
        return document
    hidden = {key: dict.fromkeys(document[key], REDACTED) for key in _DATA if isinstance(document.get(key), dict)}
    metadata: Any = document.get("metadata")
    notes = metadata.get("annotations") if isinstance(metadata, dict) else None
    if isinstance(notes, dict) and any(name in notes for name in _COPIES):
        shown = {name: REDACTED if name in _COPIES else value for name, value in notes.items()}
        hidden["metadata"] = metadata | {"annotations": shown}
    return document | hidden


def restored(edited: dict[str, Any], original: dict[str, Any]) -> dict[str, Any]:
    """The edited Secret with the real data wherever the placeholder was left as it was."""
    if not is_secret(original):
        return edited
    result = dict(edited)
    for key in _DATA:
        if isinstance(edited.get(key), dict):
            real = original.get(key) or {}
            result[key] = {
                name: real.get(name, value) if value == REDACTED else value for name, value in edited[key].items()
            }
    metadata: Any = edited.get("metadata")
    notes = metadata.get("annotations") if isinstance(metadata, dict) else None
    if isinstance(notes, dict):
        real = (original.get("metadata") or {}).get("annotations") or {}
        kept = {name: real.get(name, value) if value == REDACTED else value for name, value in notes.items()}
        result["metadata"] = metadata | {"annotations": kept}
    return result
