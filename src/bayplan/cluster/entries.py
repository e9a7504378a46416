"""The lines of a ledger: who holds what, since which change, and until when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

    from bayplan.cluster.booking import Booking
    from bayplan.cluster.identity import GangKey, ReplicaKey, WorkloadKey


@dataclass(frozen=True, slots=True)
class Entry:
    """A booking, or a reservation where `expires_s` says when it lapses.

    Bookings that were made by one change share its number, `binding`. `overcommitted` records that they exceed what
    was free, and that this was allowed when they were booked.
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


_KEYS: dict[str, Callable[[Entry], Hashable]] = {
    # plain tuples equal the named ones by which is asked, and are made in a third of the time
    "owner": lambda entry: (entry.booking.namespace, entry.booking.workload, entry.booking.replica),
    "workload": lambda entry: (entry.booking.namespace, entry.booking.workload),
    "gang": lambda entry: entry.booking.gang_key,
    "worker": lambda entry: entry.booking.worker,
    "binding": lambda entry: entry.binding,
    "reserved": lambda entry: entry.reserved,
}
"""By what entries are found; a key of None is not kept."""


class Entries:
    """All entries in the order in which they were made, and where to look for those of a replica, a worker and so on.

    Nothing is refused here: documents may name a replica twice, and what they say stays visible. An index is made when
    it is first asked for, and kept up to date from then on. A fork holds only what differs from its base, which has to
    stay as it is meanwhile: making one costs the same however many entries there are.
    """

    __slots__ = ("_base", "_groups", "_own", "_struck")

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._base: Entries | None = None
        self._own: dict[int, Entry] = {id(entry): entry for entry in entries}  # each is alive, so ids are distinct
        self._struck: set[int] = set()  # ids of entries of the base that are gone here
        self._groups: dict[str, dict[Hashable, list[Entry]]] = {}

    def __iter__(self) -> Iterator[Entry]:
        if self._base is not None:
            yield from (entry for entry in self._base if id(entry) not in self._struck)
        yield from self._own.values()

    def fork(self) -> Entries:
        """The same entries, to be changed apart from these."""
        other = Entries()
        if self._base is None:
            other._base = self
        else:  # a fork of a fork is one of the same base, so that looking something up takes two steps at most
            other._base, other._own, other._struck = self._base, dict(self._own), set(self._struck)
        return other

    @property
    def reserved(self) -> tuple[Entry, ...]:
        return self._of("reserved", key=True)

    @property
    def worker_names(self) -> list[str]:
        """The workers on which anything is held, whether they are there or not."""
        return list(dict.fromkeys(entry.booking.worker for entry in self))

    def of_owner(self, owner: ReplicaKey) -> tuple[Entry, ...]:
        return self._of("owner", owner)

    def of_workload(self, workload: WorkloadKey) -> tuple[Entry, ...]:
        return self._of("workload", workload)

    def of_gang(self, gang: GangKey) -> tuple[Entry, ...]:
        return self._of("gang", gang)

    def on_worker(self, name: str) -> tuple[Entry, ...]:
        return self._of("worker", name)

    def of_binding(self, binding: int) -> tuple[Entry, ...]:
        return self._of("binding", binding)

    def enter(self, entries: Iterable[Entry]) -> None:
        """Further entries."""
        for entry in entries:
            self._own[id(entry)] = entry
            for kind, groups in self._groups.items():
                if (key := _KEYS[kind](entry)) is not None:
                    groups.setdefault(key, []).append(entry)

    def strike(self, entries: Sequence[Entry]) -> None:
        """Take these very entries out."""
        own = [entry for entry in entries if self._own.pop(id(entry), None) is not None]
        if self._base is not None:
            # ids of own entries do no harm: entries of the base are alive
            self._struck.update(id(entry) for entry in entries)
        for kind, groups in self._groups.items():
            gone = {id(entry) for entry in own}
            for key in {_KEYS[kind](entry) for entry in own} - {None}:
                left = [entry for entry in groups[key] if id(entry) not in gone]
                if left:
                    groups[key] = left
                else:
                    del groups[key]

    def _of(self, kind: str, key: Hashable) -> tuple[Entry, ...]:
        own = self.group(kind).get(key, ())
        if self._base is None:
            return tuple(own)
        struck = self._struck
        return (*[entry for entry in self._base.group(kind).get(key, ()) if id(entry) not in struck], *own)

    def group(self, kind: str) -> dict[Hashable, list[Entry]]:
        """The entries of this level by their keys of a kind."""
        groups = self._groups.get(kind)
        if groups is None:
            groups = self._groups[kind] = {}
            key_of = _KEYS[kind]
            for entry in self._own.values():
                if (key := key_of(entry)) is not None:
                    groups.setdefault(key, []).append(entry)
        return groups
