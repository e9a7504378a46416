"""Durations as configurations write them: `200ms`, `1m30s`, `0.5h`."""

from __future__ import annotations

import re
from typing import Final

_SECONDS: Final = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_PART: Final = r"(\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h)"
_WHOLE: Final = re.compile(rf"[+-]?(?:{_PART})+", re.ASCII)
_PARTS: Final = re.compile(_PART, re.ASCII)


def seconds_of(text: str) -> float | None:
    """A duration in seconds; None where the text is none. A bare 0 needs no unit."""
    if text in ("0", "+0", "-0"):
        return 0.0
    if not _WHOLE.fullmatch(text):
        return None
    seconds = sum(float(number) * _SECONDS[unit] for number, unit in _PARTS.findall(text))
    return -seconds if text[0] == "-" else seconds
