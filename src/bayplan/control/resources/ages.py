"""Ages as kubectl writes them: short enough for a column, exact where it matters."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import timedelta

UNKNOWN = "<unknown>"


def age(timestamp: Any, now: datetime) -> str:
    """The time since an RFC 3339 timestamp."""
    since = moment(timestamp)
    return UNKNOWN if since is None else short_duration(now - since)


def moment(timestamp: Any) -> datetime | None:
    """The moment of a timestamp; None where there is none or it cannot be read."""
    try:
        found = datetime.fromisoformat(timestamp) if isinstance(timestamp, str) else None
    except ValueError:
        return None
    return found if found is None or found.tzinfo else None


def short_duration(duration: timedelta) -> str:
    """Two units for small numbers, one for large ones: 90s, 5m10s, 15m, 3h20m, 30h, 3d4h, 90d, 2y30d."""
    seconds = int(duration.total_seconds())
    if seconds < -1:
        return "<invalid>"  # a clock that is more than a second behind
    seconds = max(0, seconds)
    minutes, hours, days = seconds // 60, seconds // 3600, seconds // 86400
    if seconds < 120:
        return f"{seconds}s"
    if minutes < 180:
        return _two(minutes, "m", seconds % 60 if minutes < 10 else 0, "s")
    if hours < 48:
        return _two(hours, "h", minutes % 60 if hours < 8 else 0, "m")
    if days < 730:
        return _two(days, "d", hours % 24 if days < 8 else 0, "h")
    years = days // 365
    return _two(years, "y", days % 365 if years < 8 else 0, "d")


def _two(large: int, unit: str, small: int, lesser: str) -> str:
    return f"{large}{unit}{small}{lesser}" if small else f"{large}{unit}"
