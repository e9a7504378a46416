"""What the handlers of requests work with."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bayplan.api.access.limits import Limits
from bayplan.api.access.watch_quota import WatchQuota
from bayplan.control.nodes.heartbeats import SILENCE_S, Heartbeats
from bayplan.telemetry.metrics.registry import Metrics

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from bayplan.api.admission import Admission
    from bayplan.control.event_recorder import EventRecorder
    from bayplan.control.resources.registry import Registry
    from bayplan.control.store import Store
    from bayplan.control.system import ControlSystem


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
    metrics: Metrics = field(default_factory=Metrics)
    heartbeats: Heartbeats = field(default_factory=lambda: Heartbeats(time.time))
    silence_s: float = SILENCE_S
    """After this time without a heartbeat a worker counts as gone."""
    recorder: EventRecorder | None = None
    """Writes Events; None where no loops run."""
    control: ControlSystem | None = None
    """The loops beside the API; None where there are none."""
