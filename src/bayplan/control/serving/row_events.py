"""What a change of a ServerReplica, or of its Pod, means to a fleet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.control.serving.rows import Row
from bayplan.control.serving.scheduling import read_replica
from bayplan.library.status.documents import part

if TYPE_CHECKING:
    from bayplan.control.serving.fleet import Fleet
    from bayplan.control.store import Key, Object
    from bayplan.serving.books.model_replica import Place


def see_row(fleet: Fleet, key: Key, document: Object | None, now: float, *, connected: bool) -> bool:
    """Tell the fleet; False where only reading everything again helps, because another writer booked here."""
    if document is None:
        return _vanished(fleet, key)
    fresh = Row.of(document)
    place = fresh.place
    known = fleet.rows.get(place)
    if known is None:
        fleet.rows[place] = known = fresh
    elif known.uid != fresh.uid:
        return False
    elif fresh.revision < known.revision:
        return True  # older than what was just written; the newer one is on its way
    elif not _take_over(fleet, known, fresh):
        return False
    return _connection(fleet, place, document, now, connected=connected)


def _vanished(fleet: Fleet, key: Key) -> bool:
    place = next((place for place, row in fleet.rows.items() if row.key == key), None)
    if place is not None:
        fleet.vanish(place)
    return True


def _take_over(fleet: Fleet, known: Row, fresh: Row) -> bool:
    """A spec that others wrote: a replica that is to be drained now, or something that changes everything."""
    if fresh.spec == known.spec:
        known.revision = fresh.revision
        return True
    if {**known.spec, "draining": True} != fresh.spec or known.spec.get("draining"):
        return False
    known.spec, known.revision = fresh.spec, fresh.revision
    fleet.drain(known.place)
    return True


def _connection(fleet: Fleet, place: Place, document: Object, now: float, *, connected: bool) -> bool:
    row = fleet.rows[place]
    if row.connected and not connected:
        fleet.disconnect(place)
    elif connected and not row.connected:
        replica = read_replica(document)
        if replica is None or part(document, "spec").get("models"):
            return replica is None  # bookings of an earlier time are read with everything else
        fleet.connect(document, replica)
    if connected:
        fleet.answers(document, now)
    return True
