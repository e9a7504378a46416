"""The store port: objects go in, stay, come out and are watched; embedded in SQLite, in memory, or on Kubernetes.

The rules are those of the Kubernetes API (law 9). One contract suite, tests/contracts/store, runs on every
implementation. Revisions are whole numbers that grow with every change of any object; a document carries its own
revision as `metadata.resourceVersion`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

import orjson

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from bayplan.control.selection import Selection

Object = dict[str, Any]
"""A document in the shape of Kubernetes: apiVersion, kind, metadata, spec, status."""


@dataclass(frozen=True, slots=True)
class Collection:
    """Where objects of one kind are kept: the API group and the plural name, `agentpools` of `neuronetes.io`.

    `has_status`: the status is written by itself, and `metadata.generation` counts the other changes.
    """

    group: str
    plural: str
    namespaced: bool = field(default=True, compare=False)
    has_status: bool = field(default=True, compare=False)

    def __str__(self) -> str:
        return f"{self.plural}.{self.group}" if self.group else self.plural


@dataclass(frozen=True, slots=True)
class Key:
    """One object; `namespace` is empty where the collection has none."""

    collection: Collection
    namespace: str
    name: str

    def __str__(self) -> str:
        name = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return f"{self.collection} {name}"


class ChangeType(StrEnum):
    """What a watch says about an object, in the words of Kubernetes."""

    ADDED = "ADDED"
    MODIFIED = "MODIFIED"
    DELETED = "DELETED"
    BOOKMARK = "BOOKMARK"


@dataclass(frozen=True, slots=True)
class Stored:
    """An object at a revision. `text` is its JSON as it is kept: the API sends it as it is."""

    text: bytes
    revision: int

    def document(self) -> Object:
        """The object as data of the caller's own, to change as it likes."""
        document: Object = orjson.loads(self.text)
        return document


@dataclass(frozen=True, slots=True)
class Change:
    """What a watch says: a change of one object, or a bookmark, whose `stored` holds nothing but the revision."""

    type: ChangeType
    stored: Stored
    _line: list[bytes] = field(default_factory=list, compare=False, repr=False)

    def line(self) -> bytes:
        """The change as a watch sends it, one line of JSON; made once for all watchers."""
        if not self._line:
            self._line.append(b'{"type":"%b","object":%b}\n' % (self.type.encode(), self.stored.text))
        return self._line[0]


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a list: all of it was true at `revision`. `next` asks for the rest, empty where nothing is left."""

    items: tuple[Stored, ...]
    revision: int
    next: str = ""
    remaining: int | None = None


class Propagation(StrEnum):
    """What happens to the objects that an object owns when it is deleted."""

    BACKGROUND = "Background"
    FOREGROUND = "Foreground"
    ORPHAN = "Orphan"


@dataclass(frozen=True, slots=True)
class Deletion:
    """How an object is to be deleted; a `uid` or `revision` that does not match refuses.

    `grace_s` counts for Pods that are bound and have not ended: they stay, marked, until they are deleted with 0. None
    is the time that the Pod itself names.
    """

    propagation: Propagation = Propagation.BACKGROUND
    grace_s: int | None = None
    uid: str | None = None
    revision: int | None = None


@dataclass(frozen=True, slots=True)
class Binding:
    """One Pod and the worker that it gets; annotations are merged into the Pod in the same write.

    A `uid` or `revision` that the Pod does not have refuses.
    """

    namespace: str
    pod: str
    worker: str
    uid: str | None = None
    annotations: dict[str, str] = field(default_factory=dict)
    revision: str | None = None


class Readable(Protocol):
    """What a cache needs of a store."""

    async def list(self, collection: Collection) -> Page:
        """All objects of all namespaces."""
        ...

    def watch_many(self, collection: Collection, *, since: int) -> AsyncIterator[Sequence[Change]]:
        """Every change after a revision in order, all at once that are ready together."""
        ...


class Store(Protocol):
    """What the API and the control loops know of a store; all writes of one call happen together or not at all."""

    async def get(self, key: Key) -> Stored: ...

    async def list(
        self,
        collection: Collection,
        namespace: str = "",
        selection: Selection | None = None,
        *,
        limit: int = 0,
        next: str = "",  # noqa: A002
        revision: int | None = None,
    ) -> Page:
        """All objects of a namespace, of every namespace where it is empty; at an older `revision` while it is kept.

        `limit` objects make a page; its `next` goes on from there, at the same revision.
        """
        ...

    async def create(self, collection: Collection, document: Object, *, dry_run: bool = False) -> Stored:
        """Store a new object, named by `metadata.name`, or after `metadata.generateName`; a status is kept as given."""
        ...

    async def update(self, key: Key, document: Object, *, subresource: str = "", dry_run: bool = False) -> Stored:
        """Replace an object; a `metadata.resourceVersion` in it must be the one that is stored.

        `subresource` "status" replaces nothing but the status; without it the status stays as it is stored
        where the collection has a status of its own.
        """
        ...

    async def patch(
        self,
        key: Key,
        change: Callable[[Object], Object],
        *,
        subresource: str = "",
        dry_run: bool = False,
        intact: bool = False,
    ) -> Stored:
        """Replace an object by what `change` makes of it; called again on the newer object after a lost race.

        `intact`: the change leaves the object that it is given as it is, which saves the store a copy.
        """
        ...

    async def delete(self, key: Key, deletion: Deletion | None = None, *, dry_run: bool = False) -> Stored:
        """Delete, or mark as being deleted while finalizers or owned objects are left; the object as it was last."""
        ...

    async def bind(self, bindings: Sequence[Binding]) -> int:
        """Give Pods their workers, all or none; the revision of the last one."""
        ...

    def watch(
        self,
        collection: Collection,
        namespace: str = "",
        selection: Selection | None = None,
        *,
        since: int | None = None,
        bookmarks: bool = False,
    ) -> AsyncIterator[Change]:
        """Every change after `since` in order, none twice; without it the present objects come first as ADDED."""
        ...

    def watch_many(
        self,
        collection: Collection,
        namespace: str = "",
        selection: Selection | None = None,
        *,
        since: int | None = None,
        bookmarks: bool = False,
    ) -> AsyncIterator[Sequence[Change]]:
        """The same changes, all at once that are ready together: for callers that send them on."""
        ...
