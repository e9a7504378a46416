"""Ids of tokens in documents."""

from __future__ import annotations

from bayplan.framework.errors import InputError
from bayplan.manifests.values import what

_INTS = frozenset({int})


def token_ids(value: object) -> tuple[int, ...]:
    """A list of whole numbers."""
    if isinstance(value, list | tuple) and _INTS.issuperset(map(type, value)):
        return tuple(value)
    raise InputError(f"{what(value)} is no list of ids", next="write ids of tokens, as [1, 2, 3]")
