"""Null and empty values count as absent in configurations of routing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bayplan.framework.config.shapes import ListOf, Maybe, Record

if TYPE_CHECKING:
    from bayplan.framework.config.shapes import Shape


def without_empty(shape: Shape, value: Any) -> Any:
    """The value without the fields of records that are null or empty; unknown fields stay, to be refused.

    Items of lists stay, because their numbers are places, and so do entries of mappings whose names the author chose:
    a label may well be empty.
    """
    if isinstance(shape, Maybe):
        return without_empty(shape.shape, value)
    if isinstance(shape, ListOf) and isinstance(value, list | tuple):
        return [without_empty(shape.shape, item) for item in value]
    if not isinstance(shape, Record) or not isinstance(value, Mapping):
        return value
    shapes = {field.key: field.shape for field in shape.fields}
    told = {key: item for key, item in value.items() if key not in shapes or not is_empty(item)}
    return {key: without_empty(shapes[key], item) if key in shapes else item for key, item in told.items()}


def is_empty(value: Any) -> bool:
    """Whether a value says nothing; 0 and false say something."""
    return value is None or (isinstance(value, str | list | tuple | Mapping) and not value)
