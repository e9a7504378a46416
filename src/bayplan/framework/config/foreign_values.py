"""Values of documents that nothing is known about yet: as numbers, and as parts of messages."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from bayplan.framework.config.place import clip


def finite(value: Any) -> float | None:
    """A finite number; None for anything else, true and false too."""
    if type(value) not in (int, float):  # bool is a subclass of int
        return None
    try:
        number = float(value)
    except OverflowError:  # an int beyond the range of float
        return None
    return number if math.isfinite(number) else None


def shown(value: Any) -> str:
    """A foreign value in a message: short, and spelled as documents spell it."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return repr(clip(value))
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    # 200 bits are 60 digits; str of a huge int is slow, or refused
    if isinstance(value, int) and value.bit_length() > 200:
        return "a number of more than 60 digits"
    return clip(str(value))
