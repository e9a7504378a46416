"""What can happen to a cluster, by name: filters say which of these events could cure their refusals.

Work that waits is tried again when an event could help it. So a filter names too many events rather than too few: an
event too many costs a vain attempt, one too few leaves work waiting for ever.
"""

from __future__ import annotations

from typing import NamedTuple

from bayplan.cluster.columns import STATE_NAMES, STATIC_NAMES

WORKER_ADDED = "worker-added"
WORKER_CHANGED = "worker-changed"
STATUS_CHANGED = "status-changed"
LABELS_CHANGED = "labels-changed"
TAINTS_CHANGED = "taints-changed"
PRICE_CHANGED = "price-changed"
CARBON_CHANGED = "carbon-changed"
FOREIGN_USE_CHANGED = "foreign-use-changed"
BOOKING_ADDED = "booking-added"
BOOKING_REMOVED = "booking-removed"


class ClusterEvent(NamedTuple):
    """One event: its name, and when it happens."""

    name: str
    meaning: str


EVENTS: tuple[ClusterEvent, ...] = (
    ClusterEvent(WORKER_ADDED, "A worker joins the cluster."),
    ClusterEvent(WORKER_CHANGED, "The cards, links, capacity, place or kind of a worker change, or a card recovers."),
    ClusterEvent(STATUS_CHANGED, "A worker becomes ready, or is uncordoned."),
    ClusterEvent(LABELS_CHANGED, "The labels of a worker change."),
    ClusterEvent(TAINTS_CHANGED, "The taints of a worker change."),
    ClusterEvent(PRICE_CHANGED, "The price of a worker changes."),
    ClusterEvent(CARBON_CHANGED, "The emissions of a worker's grid change."),
    ClusterEvent(FOREIGN_USE_CHANGED, "Processes that are not booked use more or less of a card's memory."),
    ClusterEvent(BOOKING_ADDED, "Work is placed, or a booking grows."),
    ClusterEvent(BOOKING_REMOVED, "A booking ends, moves or shrinks."),
)

ROOM_EVENTS = (WORKER_ADDED, WORKER_CHANGED, BOOKING_REMOVED, FOREIGN_USE_CHANGED)
"""What may give a worker more room, on its cards or beside them."""

ALL_EVENTS = tuple(event.name for event in EVENTS)
"""For a rule that depends on the room of other workers: whatever cures another filter may cure it."""

_OF_STATIC = {
    "uid_hash": WORKER_ADDED,  # it never changes: another one is another worker
    "labels_id": LABELS_CHANGED,
    "taints_id": TAINTS_CHANGED,
    "usd_per_hour": PRICE_CHANGED,
    "carbon_g_per_kwh": CARBON_CHANGED,
}


def events_of(column: str) -> tuple[str, ...]:
    """The events by which a column of the snapshot may change in favour of work; none for what is no column of it."""
    if column == "status":
        return (STATUS_CHANGED,)
    if column in STATE_NAMES:
        room = (BOOKING_REMOVED, WORKER_CHANGED)
        return (*room, FOREIGN_USE_CHANGED) if column.startswith(("card_", "wholly_")) else room
    return (_OF_STATIC.get(column, WORKER_CHANGED),) if column in STATIC_NAMES else ()
