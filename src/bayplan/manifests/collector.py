"""Building a large tree without the cyclic collector, which would walk it again and again."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def collector_paused(*, is_large: bool) -> Iterator[None]:
    """No collection of cycles inside the block.

    A parsed document has no cycles and everything in it is alive, so each pass of the collector is wasted: it made
    up half to three quarters of the time for 5,000 Kubernetes nodes. The pause is process-wide, short, and harmless
    when nested. A large tree is then handed over as old, because the first pass over young objects would walk it; a
    small one is not, or a reader of many small documents would keep the collector from ever running.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        if is_large and not gc.get_freeze_count():
            gc.freeze()
            gc.unfreeze()
        gc.enable()
