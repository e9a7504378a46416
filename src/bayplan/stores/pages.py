"""Lists in pages: all pages of a list show the objects as they were at the revision of the first."""

from __future__ import annotations

import asyncio
import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import TYPE_CHECKING, NamedTuple

import orjson

from bayplan.control.store import Page
from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bayplan.control.selection import Selection
    from bayplan.control.store import Collection
    from bayplan.stores.shelf import Row, Shelf

_STEP = 500  # objects read at once, so that the event loop is not held up
_BEGINNING = ("", "")  # sorts before every (namespace, name)


class Place(NamedTuple):
    """Where a list goes on."""

    revision: int
    namespace: str
    name: str

    def token(self) -> str:
        return urlsafe_b64encode(orjson.dumps(tuple(self))).decode()


def place_of(token: str) -> Place:
    """What a page's `next` stands for."""
    try:
        revision, namespace, name = orjson.loads(urlsafe_b64decode(token))
    except (ValueError, TypeError, binascii.Error):
        revision = namespace = name = None
    if not (isinstance(revision, int) and isinstance(namespace, str) and isinstance(name, str)):
        raise InputError("is not what a list answered", place="continue", next="begin the list again without it")
    return Place(revision, namespace, name)


async def rows(
    shelf: Shelf, collection: Collection, namespace: str, selection: Selection | None, start: Place
) -> AsyncIterator[Row]:
    """The chosen objects from a place on, read in steps between which other work goes on."""
    after = (start.namespace, start.name)
    while True:
        found = shelf.scan(collection, namespace, after=after, limit=_STEP, revision=start.revision)
        for row in found:
            if not selection or selection.matches(row.stored.document()):
                yield row
        if len(found) < _STEP:
            return
        after = (found[-1].namespace, found[-1].name)
        await asyncio.sleep(0)


async def page(
    shelf: Shelf, collection: Collection, namespace: str, selection: Selection | None, start: Place, limit: int
) -> Page:
    """At most `limit` objects, all where it is 0, with the way to the rest."""
    chosen: list[Row] = []
    async for row in rows(shelf, collection, namespace, selection, start):
        if limit and len(chosen) == limit:
            return _part(shelf, collection, namespace, selection, chosen, start.revision)
        chosen.append(row)
    return Page(tuple(row.stored for row in chosen), start.revision)


def _part(
    shelf: Shelf, collection: Collection, namespace: str, selection: Selection | None, chosen: list[Row], revision: int
) -> Page:
    last = chosen[-1]
    after = (last.namespace, last.name)
    # As in Kubernetes: an estimate, as it counts present objects; none where a selection would have to be applied.
    remaining = None if selection else max(1, shelf.count(collection, namespace, after=after))
    items = tuple(row.stored for row in chosen)
    return Page(items, revision, Place(revision, *after).token(), remaining)


def beginning(revision: int) -> Place:
    """The start of a list at a revision."""
    return Place(revision, *_BEGINNING)
