"""Objects of several collections as they all were at one revision."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.control.store_errors import ExpiredError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.control.store import Collection, Object, Store

_TRIES = 5  # each takes a fresh revision; a store that compacts faster than it is read five times is overloaded


async def objects_at_once(store: Store, collections: Sequence[Collection]) -> list[Object]:
    """All objects of these collections at one revision, so that what they say together was true together.

    ExpiredError where writers move on faster than the objects can be read.
    """
    for tried in range(_TRIES):
        try:
            return await _read(store, collections)
        except ExpiredError:
            if tried == _TRIES - 1:
                raise
    raise AssertionError  # the last try returns or raises


async def _read(store: Store, collections: Sequence[Collection]) -> list[Object]:
    found: list[Object] = []
    revision = None
    for each in collections:
        page = await store.list(each, revision=revision)
        revision = page.revision
        found += [stored.document() for stored in page.items]
    return found
