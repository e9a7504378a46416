"""The beginning of a watch: after a revision, from now on, or with the present objects first and a mark behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.api.reading import too_new
from bayplan.api.status import Cause, invalid
from bayplan.control.store import Change, ChangeType, Stored

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from bayplan.api.backend import Backend
    from bayplan.api.call import Call

INITIAL_EVENTS_END = "k8s.io/initial-events-end"
"""The annotation of the bookmark that says: all objects that were there at its revision have been sent."""
_PAGE = 500  # objects read at once, so that the event loop is not held up
_FORBIDDEN = "FieldValueForbidden"


class InitialEventsEnd(Change):
    """The bookmark behind the present objects."""


def check_options(call: Call) -> None:
    """`sendInitialEvents` and `resourceVersionMatch` belong together in a watch, as in Kubernetes."""
    asked, match = call.query.text("sendInitialEvents"), call.query.text("resourceVersionMatch")
    causes = []
    if match and not asked:
        message = "Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"
        causes.append(Cause("resourceVersionMatch", message, _FORBIDDEN))
    if asked and match != "NotOlderThan":
        message = "Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"
        causes.append(Cause("resourceVersionMatch", message, _FORBIDDEN))
    if causes:
        raise invalid("ListOptions", "", "meta.k8s.io", causes)


async def changes(call: Call, backend: Backend) -> AsyncIterator[Sequence[Change]]:
    """Everything that the watch tells, in order; all at once that is ready together."""
    since = call.query.number("resourceVersion") or None
    asked = call.query.text("sendInitialEvents")
    if asked and call.query.flag("sendInitialEvents"):
        since = None
        async for ready in _present(call, backend):
            since = ready[-1].stored.revision
            yield ready
    elif asked and since is None:
        since = await _now(call, backend)
    following = backend.store.watch_many(
        call.resource.collection,
        call.path.namespace,
        call.selection(),
        since=since,
        bookmarks=call.query.flag("allowWatchBookmarks"),
    )
    async for ready in following:
        yield ready


async def _present(call: Call, backend: Backend) -> AsyncIterator[Sequence[Change]]:
    """The objects that are there, all at one revision; the bookmark with that revision comes last."""
    following = ""
    while True:
        page = await backend.store.list(
            call.resource.collection, call.path.namespace, call.selection(), limit=_PAGE, next=following
        )
        if page.items:
            yield [Change(ChangeType.ADDED, each) for each in page.items]
        following = page.next
        if not following:
            yield (InitialEventsEnd(ChangeType.BOOKMARK, Stored(b"", page.revision)),)
            return


async def check_revision(call: Call, backend: Backend) -> None:
    """A revision that is not reached yet cannot be waited for: the client saw another store."""
    wanted = call.query.number("resourceVersion") or 0
    if call.query.text("sendInitialEvents") and wanted > (now := await _now(call, backend)):
        raise too_new(wanted, now)


async def _now(call: Call, backend: Backend) -> int:
    return (await backend.store.list(call.resource.collection, call.path.namespace, limit=1)).revision
