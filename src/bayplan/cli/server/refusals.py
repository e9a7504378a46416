"""What went wrong between a command and a server.

BayplanError
├── UnreachableError   no server answers, or it is no Bayplan server
└── RefusedError       the server answers with a Status: one problem, or several with their fields
"""

from __future__ import annotations

from typing import Any

from bayplan.framework.errors import BayplanError, Problem

_CODES = {
    400: "bad-request",
    401: "unauthorized",
    403: "forbidden",
    404: "not-found",
    409: "conflict",
    410: "expired",
    413: "too-large",
    422: "invalid",
    429: "too-many-requests",
    507: "store-failed",
}
_NEXT = {
    401: "use the kubeconfig of the server's data folder, or a token of `bayplan token create`",
    403: "use a token that may: `bayplan token create NAME --role ROLE`, run by an administrator",
    429: "wait a second and try again",
}
_OWNED = "FieldManagerConflict"
_TAKE_OVER = "leave the field out, or take it over with --force-conflicts"


class UnreachableError(BayplanError):
    """No server answers; `next` says how to start one."""

    code = "no-server"


class RefusedError(BayplanError):
    """A server refuses; `problems` has one entry for each cause that it names."""

    code = "refused"

    def __init__(self, status: int, document: dict[str, Any], place: str) -> None:
        self.status = status
        self.reason = str(document.get("reason", ""))
        self.problems = tuple(_problems(status, document, place))
        first = self.problems[0]
        more = f" (and {len(self.problems) - 1} more)" if len(self.problems) > 1 else ""
        code = "already-exists" if self.reason == "AlreadyExists" else _CODES.get(status, "refused")
        super().__init__(first.message + more, place=first.place, next=first.next, code=code)


def _problems(status: int, document: dict[str, Any], place: str) -> list[Problem]:
    """One problem for each cause; the message of the Status where it names none."""
    following = _NEXT.get(status, "")
    if status == 401:
        return [Problem(place, "the server does not know the token, or it was revoked", following)]
    causes = (document.get("details") or {}).get("causes") or ()
    own = (document.get("details") or {}).get("bayplan")
    if own:
        where = f"{place}: {own['place']}" if own["place"] else place
        return [Problem(where, own["message"], own["next"])]
    if not causes or status not in (409, 422):
        return [Problem(place, str(document.get("message") or f"HTTP {status}"), following)]
    return [
        Problem(
            f"{place}: {cause['field']}" if cause.get("field") else place,
            str(cause.get("message", "")),
            _TAKE_OVER if cause.get("reason") == _OWNED else following,
        )
        for cause in causes
    ]
