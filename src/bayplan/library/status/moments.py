"""Times in statuses: RFC 3339 as Kubernetes writes them, and seconds."""

from __future__ import annotations

from datetime import UTC, datetime


def moment_text(seconds: float) -> str:
    """`2026-01-01T00:00:00Z`."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def seconds_of(text: object) -> float | None:
    """Seconds since 1970; None where the text is no time."""
    if not isinstance(text, str):
        return None
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        return None
