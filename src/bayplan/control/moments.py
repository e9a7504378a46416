"""Moments as objects of Kubernetes write them: RFC 3339, in whole seconds."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache


def written(seconds: float) -> str:
    """Seconds since 1970 as `2026-01-31T12:00:00Z`."""
    return _written(int(seconds))


@lru_cache(maxsize=16)  # nearly all are the present second: writing it takes longer than looking it up
def _written(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
