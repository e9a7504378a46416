"""What keeps the revisions of objects: the part of an embedded store that differs between memory and SQLite."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import orjson

from bayplan.control.store import ChangeType
from bayplan.control.store_errors import InvalidObjectError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from bayplan.control.store import Change, Collection, Key, Object, Stored


class Reference(NamedTuple):
    """An owner as an object names it; it `waits` for the object when it is deleted in the foreground."""

    uid: str
    name: str
    waits: bool


class Facts(NamedTuple):
    """What a shelf can be asked about an object besides its name; `references` are its owners, each uid once."""

    uid: str
    references: tuple[Reference, ...]
    deleting: bool

    @property
    def owners(self) -> tuple[str, ...]:
        return tuple(each.uid for each in self.references)


def facts_of(document: Object) -> Facts:
    """The facts as the metadata says them."""
    metadata: dict[str, Any] = document["metadata"]
    given = metadata.get("ownerReferences")
    references = tuple({each["uid"]: _reference(each) for each in given}.values()) if given else ()
    return Facts(metadata["uid"], references, "deletionTimestamp" in metadata)


def _reference(given: dict[str, Any]) -> Reference:
    return Reference(given["uid"], given["name"], bool(given.get("blockOwnerDeletion")))


def is_owner(owner: Key, reference: Reference, dependent: Key) -> bool:
    """Whether the object with the uid of a reference is what the reference means.

    As in Kubernetes, a reference by another name, or into another namespace, leads nowhere.
    """
    return owner.name == reference.name and owner.namespace in ("", dependent.namespace)


def text_of(key: Key, document: Object) -> bytes:
    """The object as it is kept; InvalidObjectError where it holds what JSON of 64 bits cannot."""
    try:
        return bytes(memoryview(orjson.dumps(document)))  # a copy: orjson keeps far more memory than it has filled
    except orjson.JSONEncodeError as error:
        following = "numbers have 64 bits, names and texts are Unicode"
        raise InvalidObjectError(f"cannot be written as JSON ({error})", place=str(key), next=following) from None


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
        """The objects that refer to an owner that is not there, not under that name, or in another namespace."""
        ...

    def deleting(self) -> Sequence[Key]:
        """The objects that are marked as being deleted."""
        ...

    def inside(self, namespace: str, limit: int) -> Sequence[Key]:
        """Objects of a namespace, of any collection."""
        ...

    async def close(self) -> None: ...
