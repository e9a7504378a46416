"""What the library's functions are given: plain dicts as in the files, or documents that were read from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bayplan.framework.errors import InputError
from bayplan.manifests.reader import Document
from bayplan.manifests.values import what

Given = Mapping[str, Any] | Document


def documents_of(given: object, name: str) -> list[Document]:
    """The documents, one or several; `name` is what errors call them, as in `workloads[0]: spec.gpus.count`."""
    if isinstance(given, Mapping | Document):
        return [_document(given, name)]
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise _no_document(given, name)
    return [_document(each, f"{name}[{number}]") for number, each in enumerate(given)]


def document_of(given: Given, name: str) -> Document:
    """The one document that is wanted."""
    return _document(given, name)


def _document(given: object, source: str) -> Document:
    if isinstance(given, Document):
        return given
    if isinstance(given, Mapping | list | tuple):
        return Document(given, source)
    raise _no_document(given, source)


def _no_document(given: object, place: str) -> InputError:
    return InputError(f"{what(given)} is no document", place=place, next="give a dict, as in the files")
