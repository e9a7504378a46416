"""Lines and columns, counted as editors do."""

from __future__ import annotations


def line_and_column(data: bytes, offset: int) -> tuple[int, int]:
    """Counted from one, as editors do; a column is a character."""
    start = data.rfind(b"\n", 0, offset) + 1
    return data.count(b"\n", 0, offset) + 1, len(data[start:offset].decode(errors="replace")) + 1
