"""What keeps the revisions of objects: the part of an embedded store that differs between memory and SQLite."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from bayplan.control.store import ChangeType

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from bayplan.control.store import Change, Collection, Key, Object, Stored


class Facts(NamedTuple):
    """What a shelf can be asked about an object besides its name.

    `references`: the uids of its owners, each with whether the owner waits for the object when it is deleted.
    """

    uid: str
    references: tuple[tuple[str, bool], ...]
    deleting: bool

    @property
    def owners(self) -> tuple[str, ...]:
        return tuple(uid for uid, _ in self.references)


def facts_of(document: Object) -> Facts:
    """The facts as the metadata says them."""
    metadata: dict[str, Any] = document["metadata"]
    given = metadata.get("ownerReferences")
    references = tuple({each["uid"]: bool(each.get("blockOwnerDeletion")) for each in given}.items()) if given else ()
    return Facts(metadata["uid"], references, "deletionTimestamp" in metadata)


@dataclass(frozen=True, slots=True)
class Write:
    """One change to be written; `previous` is what must be stored now, None where nothing may be.

    `before` are the facts of the previous object; `gone`: the document is the last state of the object. The shelf sets
    `metadata.resourceVersion` of the document.
    """

    key: Key
    document: Object
    previous: Stored | None = None
    before: Facts | None = None
    gone: bool = False

    @property
    def type(self) -> ChangeType:
        if self.gone:
            return ChangeType.DELETED
        return ChangeType.ADDED if self.previous is None else ChangeType.MODIFIED


class Row(NamedTuple):
    """An object of a list with its place in the order."""

    namespace: str
    name: str
    stored: Stored


class Entry(NamedTuple):
    """A committed change: what watchers are told, with the object as it was before.

    `facts` and `before` (of the previous object) are None for a change that was read from the log.
    """

    key: Key
    change: Change
    previous: Stored | None
    facts: Facts | None = None
    before: Facts | None = None

    @property
    def revision(self) -> int:
        return self.change.stored.revision


class Shelf(Protocol):
    """Revisions of objects, durable or not. Reads see what is committed; a write is answered after its commit.

    All is called from the thread of the event loop, and a write is queued at the call: writes are committed in the
    order of the calls.
    """

    def read(self, key: Key) -> Stored | None: ...

    def revision(self) -> int:
        """The revision of the latest commit."""
        ...

    def scan(
        self, collection: Collection, namespace: str, *, after: tuple[str, str], limit: int, revision: int
    ) -> Sequence[Row]:
        """At most `limit` objects as they were at a revision, in the order of (namespace, name), beginning `after` one.

        ExpiredError where the revision is no longer kept, or not yet reached.
        """
        ...

    def count(self, collection: Collection, namespace: str, *, after: tuple[str, str]) -> int:
        """How many present objects follow in the order."""
        ...

    def write(self, writes: Sequence[Write]) -> Awaitable[tuple[Stored, ...]]:
        """All or none: StaleError or AlreadyExistsError where another revision is stored than one of them expects."""
        ...

    def changes(self, collection: Collection, since: int, limit: int) -> Sequence[Entry]:
        """Changes after a revision, in order, at most `limit`; ExpiredError where they are no longer kept."""
        ...

    def listen(self, heard: Callable[[Sequence[Entry]], None]) -> None:
        """Have every commit told in order, with facts, in the event loop's thread, before its writers are answered."""
        ...

    def find(self, uid: str) -> Key | None:
        """The present object of that uid."""
        ...

    def dependents(self, uid: str) -> Sequence[Key]:
        """The objects that refer to an owner of that uid."""
        ...

    def strays(self) -> Sequence[Key]:
        """The objects that refer to an owner that is not there."""
        ...

    def deleting(self) -> Sequence[Key]:
        """The objects that are marked as being deleted."""
        ...

    def inside(self, namespace: str, limit: int) -> Sequence[Key]:
        """Objects of a namespace, of any collection."""
        ...

    async def close(self) -> None: ...
