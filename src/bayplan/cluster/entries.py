"""The lines of a ledger: who holds what, since which change, and until when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

    from bayplan.cluster.booking import Booking
    from bayplan.cluster.identity import GangKey, ReplicaKey


@dataclass(frozen=True, slots=True)
class Entry:
    """A booking, or a reservation where `expires_s` says when it lapses.

    Bookings that were made by one change share its number, `binding`. `overcommitted` records that they exceed what
    was free, and that whoever booked had leave for it.
    """

    booking: Booking
    binding: int
    overcommitted: bool = False
    expires_s: float | None = None

    @property
    def reserved(self) -> bool:
        return self.expires_s is not None

    @property
    def owner(self) -> ReplicaKey:
        return self.booking.owner


class Entries:
    """All entries, and where to look for those of a replica, a worker, a binding or a gang.

    Nothing is refused here: documents may name a replica twice, and what they say stays visible.
    """

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._by: dict[tuple[str, Hashable], list[Entry]] = {}
        for entry in entries:
            self.enter(entry)

    def __iter__(self) -> Iterator[Entry]:
        for (kind, _), held in self._by.items():
            if kind == "owner":
                yield from held

    @property
    def reserved(self) -> tuple[Entry, ...]:
        return tuple(self._by.get(("reserved", True), ()))

    @property
    def worker_names(self) -> list[str]:
        """The workers on which anything is held, whether they are there or not."""
        return [str(key) for kind, key in self._by if kind == "worker"]

    def of_owner(self, owner: ReplicaKey) -> tuple[Entry, ...]:
        return tuple(self._by.get(("owner", owner), ()))

    def on_worker(self, name: str) -> tuple[Entry, ...]:
        return tuple(self._by.get(("worker", name), ()))

    def of_binding(self, binding: int) -> tuple[Entry, ...]:
        return tuple(self._by.get(("binding", binding), ()))

    def of_gang(self, gang: GangKey) -> tuple[Entry, ...]:
        return tuple(self._by.get(("gang", gang), ()))

    def enter(self, entry: Entry) -> None:
        """One more."""
        for key in _keys(entry):
            self._by.setdefault(key, []).append(entry)

    def strike(self, entry: Entry) -> None:
        """One less."""
        for key in _keys(entry):
            held = self._by[key]
            held.remove(entry)
            if not held:
                del self._by[key]


def _keys(entry: Entry) -> Iterator[tuple[str, Any]]:
    yield ("owner", entry.owner)
    yield ("worker", entry.booking.worker)
    yield ("binding", entry.binding)
    if (gang := entry.booking.gang_key) is not None:
        yield ("gang", gang)
    if entry.reserved:
        yield ("reserved", True)
