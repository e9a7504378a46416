"""Lists and watches of a server: pages are put together, watches that end are taken up again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.cli.errors import warn
from bayplan.cli.server.refusals import RefusedError, UnreachableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from bayplan.cli.objects.targets import Target
    from bayplan.cli.server.connection import Connection

_PAGE = 500  # as kubectl: the first rows of a large list come soon
_GONE = 410


def pages(connection: Connection, target: Target, query: Mapping[str, Any], accept: str) -> Iterator[dict[str, Any]]:
    """The list in pages, all of one revision."""
    following = ""
    while True:
        asked = {**query, "limit": _PAGE, "continue": following}
        page: dict[str, Any] = connection.get(target.path, asked, place=target.place, accept=accept)
        yield page
        following = (page.get("metadata") or {}).get("continue", "")
        if not following:
            return


def changes(
    connection: Connection, target: Target, query: Mapping[str, Any], revision: str, accept: str
) -> Iterator[dict[str, Any]]:
    """Every change after a revision, for as long as the server runs: `{type, object}`.

    A watch that the server ends is taken up where it was. When the history is too short for that, it says so and goes
    on from now.
    """
    while True:
        asked = {**query, "watch": True, "allowWatchBookmarks": True, "resourceVersion": revision}
        try:
            for event in connection.lines(target.path, asked, place=target.place, accept=accept):
                _check(event, target)
                revision = revision_of(event["object"]) or revision
                if event["type"] != "BOOKMARK":
                    yield event
        except RefusedError as error:
            if error.status != _GONE:
                raise
            warn(f"{target.place}: some changes were missed: the history of the server is shorter; watching from now")
            page = connection.get(target.path, {**query, "limit": 1}, place=target.place)
            revision = page["metadata"]["resourceVersion"]
        except UnreachableError as error:
            raise UnreachableError("the server went away", place=error.place, next=error.next) from error


def _check(event: dict[str, Any], target: Target) -> None:
    if event["type"] == "ERROR":
        raise RefusedError(event["object"].get("code", 500), event["object"], target.place)


def revision_of(document: dict[str, Any]) -> str:
    """The resourceVersion of an object, of a list, or of the row of a Table."""
    found = str((document.get("metadata") or {}).get("resourceVersion", ""))
    for row in document.get("rows") or ():
        found = str(((row.get("object") or {}).get("metadata") or {}).get("resourceVersion", "")) or found
    return found
