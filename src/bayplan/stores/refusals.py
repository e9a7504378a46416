"""The refusals that shelves and the rules above them share, each with its next step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.control.store_errors import AlreadyExistsError, ExpiredError, NotFoundError, StaleError

if TYPE_CHECKING:
    from bayplan.control.store import Key, Stored
    from bayplan.control.store_errors import StoreError
    from bayplan.stores.shelf import Write


def missing(key: Key) -> NotFoundError:
    """There is no such object."""
    return NotFoundError("not found", place=str(key))


def stale(key: Key, expected: object, found: object) -> StaleError:
    """Another revision is stored than the caller expects."""
    return StaleError(
        "the object has been modified; please apply your changes to the latest version and try again",
        place=str(key),
        next=f"revision {expected} was expected, {found} is stored",
    )


def lost_race(write: Write, found: Stored | None) -> StoreError:
    """Another revision is stored than the write expects."""
    if write.previous is None:
        return AlreadyExistsError("already exists", place=str(write.key), next="choose another name, or change it")
    return stale(write.key, write.previous.revision, found.revision if found else "none")


def expired(asked: int, oldest: int, latest: int) -> ExpiredError:
    """Also for a revision that is not reached yet: the store was restored from a backup since the client read it."""
    kept = f"the history reaches from {oldest} to {latest}"
    return ExpiredError(f"revision {asked} is not kept: {kept}", place="resourceVersion", next="list again")
