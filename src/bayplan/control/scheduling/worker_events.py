"""Which cluster events the change of a worker is: pending work that they could help is tried again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cluster.events import (
    CARBON_CHANGED,
    FOREIGN_USE_CHANGED,
    LABELS_CHANGED,
    PRICE_CHANGED,
    STATUS_CHANGED,
    TAINTS_CHANGED,
    WORKER_ADDED,
    WORKER_CHANGED,
)

if TYPE_CHECKING:
    from bayplan.cluster.worker import Worker

_OF_FIELDS = {
    "status": STATUS_CHANGED,
    "labels": LABELS_CHANGED,
    "taints": TAINTS_CHANGED,
    "usd_per_hour": PRICE_CHANGED,
    "carbon_g_per_kwh": CARBON_CHANGED,
}
_REST = (
    "topology", "cpu_milli", "ram_mib", "links", "mig_slices", "spot", "power_watts", "cached_models", "services",
    "reserved_ram_mib", "reserved_gpu_memory_mib", "numa", "mig_strategy", "sharing", "places_per_container",
    "gpu_resource", "resources",
)  # fmt: skip


def events_between(old: Worker | None, new: Worker) -> set[str]:
    """The events by which a worker became what it is; none where only its measured load differs."""
    if old is None:
        return {WORKER_ADDED}
    events = {event for field, event in _OF_FIELDS.items() if getattr(old, field) != getattr(new, field)}
    if old.gpus is not new.gpus and old.gpus != new.gpus:
        # also where only the observed use differs: both events may give room, and telling them apart is not worth it
        events |= {WORKER_CHANGED, FOREIGN_USE_CHANGED}
    if any(getattr(old, field) != getattr(new, field) for field in _REST):
        events.add(WORKER_CHANGED)
    return events
