"""Objects as the Table documents that `kubectl get` prints, and as rows for our own commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.control.resources.columns import AGE, NAME, Column
from bayplan.control.resources.dialect_columns import DIALECT_COLUMNS
from bayplan.control.resources.kubernetes_columns import KUBERNETES_COLUMNS
from bayplan.control.resources.resource_type import Support

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from bayplan.control.resources.resource_type import ResourceType

Document = dict[str, Any]

_COLUMNS = {**KUBERNETES_COLUMNS, **DIALECT_COLUMNS}
_UNSUPPORTED = (NAME, Column("Supported", lambda document, now: "Unsupported"), AGE)


def columns_of(resource: ResourceType, *, wide: bool = True) -> tuple[Column, ...]:
    """The columns of a kind; without `wide` only the columns that are always shown."""
    usual = _UNSUPPORTED if resource.support is Support.UNSUPPORTED else (NAME, AGE)
    found = _COLUMNS.get(resource.full_name, usual)
    return tuple(each for each in found if wide or not each.wide)


def rows(resource: ResourceType, documents: Iterable[Document], now: datetime, *, wide: bool) -> list[list[Any]]:
    """The cells of each object, for our own tables."""
    columns = columns_of(resource, wide=wide)
    return [[each.cell(document, now) for each in columns] for document in documents]


def table(
    resource: ResourceType,
    documents: Iterable[Mapping[str, Any]],
    now: datetime,
    *,
    metadata: Mapping[str, Any] | None = None,
    include: str = "Metadata",
) -> Document:
    """A Table of stored documents with all columns: kubectl leaves wide ones out by their priority.

    `metadata` is that of the list. `include` is the parameter includeObject: None, Metadata or Object.
    """
    columns = columns_of(resource)
    return {
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": dict(metadata or {}),
        "columnDefinitions": [_definition(each) for each in columns],
        "rows": [_row(columns, document, now, include) for document in documents],
    }


def _row(columns: tuple[Column, ...], document: Mapping[str, Any], now: datetime, include: str) -> Document:
    row: Document = {"cells": [each.cell(document, now) for each in columns]}
    if include == "Object":
        row["object"] = document
    elif include != "None":
        partial = {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1"}
        row["object"] = {**partial, "metadata": document.get("metadata", {})}
    return row


def _definition(column: Column) -> Document:
    return {
        "name": column.name,
        "type": column.type,
        "format": "name" if column.name == "Name" else "",
        "description": column.description,
        "priority": int(column.wide),
    }
