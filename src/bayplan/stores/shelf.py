"""What keeps the revisions of objects: the part of an embedded store that differs between memory and SQLite."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Awaitable, Sequence

    from bayplan.control.store import Change, Collection, Key, Object, Stored


@dataclass(frozen=True, slots=True)
class Write:
    """One change to be written; `expected` is the revision that must be stored now, 0 where nothing may be.

    The shelf sets `metadata.resourceVersion` of the document. `gone`: the document is the last state of the object.
    """

    key: Key
    document: Object
    expected: int
    gone: bool = False


class Shelf(Protocol):
    """Revisions of objects, durable or not. Reads see what is committed; a write is answered after its commit."""

    def read(self, key: Key) -> Stored | None: ...

    def revision(self) -> int:
        """The revision of the latest commit."""
        ...

    def scan(self, collection: Collection, namespace: str, revision: int | None) -> Sequence[Stored]:
        """Objects in the order of namespace and name; ExpiredError where the revision is no longer kept."""
        ...

    def write(self, writes: Sequence[Write]) -> Awaitable[tuple[Stored, ...]]:
        """All or none: StaleError or AlreadyExistsError where one of them expects another revision."""
        ...

    def changes(self, collection: Collection, since: int) -> Sequence[Change]:
        """Changes after a revision, in order; ExpiredError where they are no longer kept."""
        ...
