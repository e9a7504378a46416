"""A shelf in memory: for tests, for simulations, and as the plain statement of what a shelf does."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

import orjson

from bayplan.control.store import Change, Stored
from bayplan.stores.refusals import expired, lost_race
from bayplan.stores.shelf import Entry, Facts, Row, facts_of, is_owner, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bayplan.control.store import Collection, Key
    from bayplan.stores.shelf import Reference, Write


class MemoryShelf:
    """Everything in dicts; the log holds the last `history` changes."""

    def __init__(self, history: int = 10_000) -> None:
        self._history = history
        self._revision = 0
        self._oldest = 0  # the log begins after this revision
        self._log: list[Entry] = []
        self._current: dict[Key, Stored] = {}
        self._facts: dict[Key, Facts] = {}
        self._uids: dict[str, Key] = {}
        self._dependents: dict[str, dict[Key, None]] = {}
        self._heard: Callable[[Sequence[Entry]], None] = lambda _: None

    def read(self, key: Key) -> Stored | None:
        return self._current.get(key)

    def revision(self) -> int:
        return self._revision

    def scan(
        self, collection: Collection, namespace: str, *, after: tuple[str, str], limit: int, revision: int
    ) -> Sequence[Row]:
        if not self._oldest <= revision <= self._revision:
            raise expired(revision, self._oldest, self._revision)
        state = self._state(collection, revision)
        chosen = sorted(
            (key.namespace, key.name)
            for key in state
            if (not namespace or key.namespace == namespace) and (key.namespace, key.name) > after
        )
        named = {(key.namespace, key.name): stored for key, stored in state.items()}
        return [Row(*name, named[name]) for name in chosen[:limit]]

    def _state(self, collection: Collection, revision: int) -> dict[Key, Stored]:
        """The objects of a collection at a revision: the present ones, with later changes taken back, newest first."""
        state = {key: stored for key, stored in self._current.items() if key.collection == collection}
        for entry in reversed(self._after(revision)):
            if entry.key.collection != collection:
                continue
            if entry.previous is None:
                del state[entry.key]
            else:
                state[entry.key] = entry.previous
        return state

    def _after(self, revision: int) -> list[Entry]:
        return self._log[bisect_right(self._log, revision, key=lambda entry: entry.revision) :]

    def count(self, collection: Collection, namespace: str, *, after: tuple[str, str]) -> int:
        keys = (key for key in self._current if key.collection == collection and namespace in {"", key.namespace})
        return sum((key.namespace, key.name) > after for key in keys)

    async def write(self, writes: Sequence[Write]) -> tuple[Stored, ...]:
        for each in writes:
            if self._current.get(each.key) != each.previous:
                raise lost_race(each, self._current.get(each.key))
        for each in writes:
            text_of(each.key, each.document)  # all can be kept, or none is
        entries = [self._keep(each) for each in writes]
        if entries:
            self.compact(self._revision - self._history)
            self._heard(entries)
        return tuple(entry.change.stored for entry in entries)

    def _keep(self, write: Write) -> Entry:
        self._revision += 1
        write.document["metadata"]["resourceVersion"] = str(self._revision)
        stored = Stored(orjson.dumps(write.document), self._revision)
        facts = facts_of(write.document)
        entry = Entry(write.key, Change(write.type, stored), write.previous, facts, write.before)
        self._log.append(entry)
        self._forget(write.key)
        if not write.gone:
            self._current[write.key] = stored
            self._remember(write.key, facts)
        return entry

    def _forget(self, key: Key) -> None:
        if known := self._facts.pop(key, None):
            del self._current[key], self._uids[known.uid]
            for owner in known.owners:
                del self._dependents[owner][key]
                if not self._dependents[owner]:
                    del self._dependents[owner]

    def _remember(self, key: Key, facts: Facts) -> None:
        self._facts[key] = facts
        self._uids[facts.uid] = key
        for owner in facts.owners:
            self._dependents.setdefault(owner, {})[key] = None

    def compact(self, revision: int) -> None:
        """Forget how objects were before a revision."""
        if revision > self._oldest:
            self._oldest = min(revision, self._revision)
            self._log = self._after(self._oldest)

    def changes(self, collection: Collection, since: int, limit: int) -> Sequence[Entry]:
        if not self._oldest <= since <= self._revision:
            raise expired(since, self._oldest, self._revision)
        return [entry for entry in self._after(since) if entry.key.collection == collection][:limit]

    def listen(self, heard: Callable[[Sequence[Entry]], None]) -> None:
        self._heard = heard

    def find(self, uid: str) -> Key | None:
        return self._uids.get(uid)

    def dependents(self, uid: str) -> Sequence[Key]:
        return tuple(self._dependents.get(uid, ()))

    def strays(self) -> Sequence[Key]:
        return tuple(
            key for key, facts in self._facts.items() if any(self._is_lost(each, key) for each in facts.references)
        )

    def _is_lost(self, reference: Reference, dependent: Key) -> bool:
        owner = self._uids.get(reference.uid)
        return owner is None or not is_owner(owner, reference, dependent)

    def deleting(self) -> Sequence[Key]:
        return tuple(key for key, facts in self._facts.items() if facts.deleting)

    def inside(self, namespace: str, limit: int) -> Sequence[Key]:
        return tuple(key for key in self._current if key.namespace == namespace)[:limit]

    async def close(self) -> None:
        """Nothing is held open."""
