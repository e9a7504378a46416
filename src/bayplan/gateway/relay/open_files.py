"""Open files: for how many connections there is room."""

from __future__ import annotations

import contextlib
import resource
from typing import Final

_OTHER_FILES: Final = 256  # descriptors that are no connections of clients


def connections_that_fit(wanted: int) -> int:
    """Raise the limit of open files as far as it may be; how many connections of clients it leaves room for.

    One file in four is kept for connections to engines: most clients of a busy relay wait or think.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = 2 * wanted + _OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < needed:
        soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return wanted if soft == resource.RLIM_INFINITY else max(1, min(wanted, (soft - _OTHER_FILES) * 3 // 4))
