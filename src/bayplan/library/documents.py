"""The arguments of the library's functions: plain dicts as in the files, or documents that were read from files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bayplan.framework.errors import InputError
from bayplan.manifests.reader import Document
from bayplan.manifests.values import what

Given = Mapping[str, Any] | Document


def documents_of(given: object, name: str) -> list[Document]:
    """The documents, one or several; `name` is what errors call them, as in `workloads[0]: spec.gpus.count`.

    Items of a list are not checked here: the reader of each item reports its problems together with all others.
    """
    if isinstance(given, Document):
        return [given]
    if isinstance(given, Mapping):
        return [Document(given, name)]
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise InputError(f"{what(given)} is no document", place=name, next="give a dict, as in the files")
    return [
        each if isinstance(each, Document) else Document(each, f"{name}[{number}]") for number, each in enumerate(given)
    ]
