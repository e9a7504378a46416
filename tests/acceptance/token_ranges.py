"""Ranges of token ids: case files write `1..40` for the list of these numbers."""

from __future__ import annotations

import re
from typing import Any

_RANGE = re.compile(r"(\d+)\.\.(\d+)")


def with_ranges(value: Any) -> Any:
    """A copy in which each `tokens` that is a range is the list."""
    if isinstance(value, list):
        return [with_ranges(entry) for entry in value]
    if isinstance(value, dict):
        return {key: _tokens(entry) if key == "tokens" else with_ranges(entry) for key, entry in value.items()}
    return value


def _tokens(value: Any) -> Any:
    found = _RANGE.fullmatch(value) if isinstance(value, str) else None
    return value if found is None else list(range(int(found[1]), int(found[2]) + 1))
