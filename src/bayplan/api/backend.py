"""What the handlers of requests work with."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bayplan.api.access.limits import Limits
from bayplan.api.access.watch_quota import WatchQuota

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from bayplan.api.admission import Admission
    from bayplan.control.resources.registry import Registry
    from bayplan.control.store import Store


@dataclass(frozen=True, slots=True)
class Backend:
    """The store behind the API, the kinds that are served, and what objects must pass."""

    store: Store
    registry: Registry
    admission: Admission
    clock: Callable[[], float] = time.time
    data: Path | None = None
    """The folder of the store, where it has one: backups are made from it."""
    watches: WatchQuota = field(default_factory=lambda: WatchQuota(Limits()))
