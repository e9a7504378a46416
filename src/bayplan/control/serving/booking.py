"""Writes what was decided: each row and each claim only if it is as it was when the decision was made.

Memory is booked twice by nobody, because a row is written only over the bookings that the decision saw. A model is on
one server only, because its claim (`status.server` of the Model) is written last, over the claim that the decision saw:
of two schedulers that booked it on two servers one loses, takes its bookings back, and decides again.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from bayplan.control.store_errors import NotFoundError, StaleError, StoreError
from bayplan.library.status.documents import part, with_fields

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from bayplan.control.store import Key, Object, Store, Stored

ChangeT = TypeVar("ChangeT")

_AT_ONCE = 64  # rows that are written together, so that they share commits


class Claim(NamedTuple):
    """The server that a model is on or goes to, and which version of it is meant; None where there is none."""

    server: str | None = None
    version: int | None = None
    version_hash: str | None = None

    @classmethod
    def of(cls, model: Object) -> Claim:
        status = part(model, "status")
        return cls(status.get("server"), status.get("version"), status.get("versionHash"))


@dataclass(frozen=True, slots=True)
class RowChange:
    """One ServerReplica: its spec as the decision saw it, and as it is to be."""

    key: Key
    uid: str
    before: Object
    after: Object

    @property
    def adds(self) -> bool:
        """Whether a booking is new."""
        known = {each.get("name") for each in self.before.get("models") or ()}
        return any(each["name"] not in known for each in self.after["models"])

    @property
    def reversed(self) -> RowChange:
        return RowChange(self.key, self.uid, self.after, self.before)


@dataclass(frozen=True, slots=True)
class ClaimChange:
    """One Model: its claim as the decision saw it, and as it is to be."""

    key: Key
    uid: str
    before: Claim
    after: Claim


async def commit(store: Store, rows: Sequence[RowChange], claims: Sequence[ClaimChange]) -> dict[Key, Stored]:
    """Write everything, or raise what stood in the way and take back what was written; the objects as written.

    New bookings are written before others change: who waits for a model to be elsewhere sees that it is on its way.
    """
    written: dict[Key, Stored] = {}
    done: list[RowChange] = []
    try:
        for together in ([each for each in rows if each.adds], [each for each in rows if not each.adds]):
            await _all(together, lambda each: _row(store, each, written, done))
        await _all(claims, lambda each: _claim(store, each, written))
    except StoreError:
        await asyncio.gather(*(_row(store, each.reversed, {}, []) for each in done), return_exceptions=True)
        raise
    return written


async def _all(items: Sequence[ChangeT], write: Callable[[ChangeT], Awaitable[None]]) -> None:
    """All that are written together, also after one has failed: otherwise nobody would know what was written."""
    for first in range(0, len(items), _AT_ONCE):
        results = await asyncio.gather(*map(write, items[first : first + _AT_ONCE]), return_exceptions=True)
        for each in results:
            if isinstance(each, BaseException):
                raise each


async def _row(store: Store, change: RowChange, written: dict[Key, Stored], done: list[RowChange]) -> None:
    def changed(live: Object) -> Object:
        if live["metadata"]["uid"] != change.uid or part(live, "spec") != change.before:
            raise StaleError("another scheduler has booked here", place=str(change.key), next="decide again")
        return {**live, "spec": change.after}

    written[change.key] = await store.patch(change.key, changed, intact=True)
    done.append(change)


async def _claim(store: Store, change: ClaimChange, written: dict[Key, Stored]) -> None:
    def changed(live: Object) -> Object:
        if live["metadata"]["uid"] != change.uid or Claim.of(live) != change.before:
            raise StaleError("another scheduler has placed this model", place=str(change.key), next="decide again")
        server, version, version_hash = change.after
        fields = with_fields(part(live, "status"), server=server, version=version, versionHash=version_hash)
        return {**live, "status": fields}

    written[change.key] = await store.patch(change.key, changed, subresource="status", intact=True)


LOST = (StaleError, NotFoundError)
"""What a lost race looks like: read again, and decide again."""
