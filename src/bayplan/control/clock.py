"""What time it is: the loops ask this, so that a simulation can bring its own.

Loops sleep with asyncio. A simulation runs them on an event loop whose time is virtual.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from bayplan.library.status.moments import moment_text, seconds_of

if TYPE_CHECKING:
    from collections.abc import Callable

    Clock = Callable[[], float]
    """Seconds since 1970."""

__all__ = ["SYSTEM_CLOCK", "moment_text", "seconds_of"]

SYSTEM_CLOCK: Clock = time.time
