"""Objects as documents or names, with Secrets redacted; without the records of field owners unless asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.cli.objects.redaction import redacted
from bayplan.cli.objects.targets import Target
from bayplan.cli.output import as_json, as_yaml, emit
from bayplan.cli.text import write
from bayplan.control.resources.registry import REGISTRY

if TYPE_CHECKING:
    from collections.abc import Iterable


def print_objects(documents: list[dict[str, Any]], output: str, *, fields: bool = False, listed: bool = False) -> None:
    """One object as it is, several as a List; `listed` makes a List of one, too."""
    if output == "name":
        for each in documents:
            write(f"{reference_of(each)}\n")
        return
    shown = [shown_object(each, fields=fields) for each in documents]
    if len(shown) == 1 and not listed:
        emit(shown[0], output)
    else:
        emit({"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": ""}, "items": shown}, output)


def print_one_of_many(document: dict[str, Any], output: str, *, fields: bool = False) -> None:
    """One object of a stream: JSON one after another, YAML with separators."""
    if output == "name":
        write(f"{reference_of(document)}\n")
        return
    shown = shown_object(document, fields=fields)
    pieces: Iterable[str] = [as_json(shown)] if output == "json" else ["---\n", *as_yaml(shown)]
    for piece in pieces:
        write(piece)


def shown_object(document: dict[str, Any], *, fields: bool = False) -> dict[str, Any]:
    """An object as a command may show it."""
    safe: dict[str, Any] = redacted(document)
    metadata = safe.get("metadata")
    if fields or not isinstance(metadata, dict) or "managedFields" not in metadata:
        return safe
    return safe | {"metadata": {key: value for key, value in metadata.items() if key != "managedFields"}}


def reference_of(document: dict[str, Any]) -> str:
    """`pod/web`, `deployment.apps/web`."""
    name = document["metadata"]["name"]
    found = REGISTRY.of_document(str(document.get("apiVersion", "")), str(document.get("kind", "")))
    if found is None:
        return f"{str(document.get('kind', '')).lower()}/{name}"
    return Target(found, "", name).reference
