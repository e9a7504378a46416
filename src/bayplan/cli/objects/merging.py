"""What a person changed in a document, as a JSON merge patch, and the patch put on another version of it."""

from __future__ import annotations

from typing import Any


def merge_difference(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """The merge patch (RFC 7386) that turns one document into the other; null deletes a field."""
    patch: dict[str, Any] = {key: None for key in before if key not in after}
    for key, value in after.items():
        old = before.get(key)
        if isinstance(value, dict) and isinstance(old, dict):
            if inner := merge_difference(old, value):
                patch[key] = inner
        elif key not in before or old != value:
            patch[key] = value
    return patch


def merged(document: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    """The document with a merge patch put on it."""
    result = dict(document)
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict):
            old = result.get(key)
            result[key] = merged(old if isinstance(old, dict) else {}, value)
        else:
            result[key] = value
    return result
