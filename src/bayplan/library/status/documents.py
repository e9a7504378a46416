"""Parts of the documents that statuses are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

Object = dict[str, Any]


def part(document: Mapping[str, Any], *names: str) -> Object:
    """The object at a path; an empty one where it is absent or something else."""
    value: Any = document
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def number(value: Any, absent: int = 0) -> int:
    """A whole number; `absent` where the field holds none."""
    return value if isinstance(value, int) and not isinstance(value, bool) else absent


def generation_of(document: Mapping[str, Any]) -> int:
    """How often the wish has changed; 0 where the object does not say."""
    return number(part(document, "metadata").get("generation"))


def with_fields(status: Mapping[str, Any], **fields: Any) -> Object:
    """The status with these fields; those that are None are left out, because nothing is known of them any more."""
    found = {**status, **fields}
    return {key: value for key, value in found.items() if key not in fields or value is not None}
