"""Refusals as Status documents of Kubernetes, with the HTTP code, the reason and one cause for each path."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bayplan.control import store_errors

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.framework.errors import BayplanError

REASONS = {
    400: "BadRequest",
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    405: "MethodNotAllowed",
    406: "NotAcceptable",
    408: "RequestTimeout",
    409: "Conflict",
    410: "Expired",
    413: "RequestEntityTooLarge",
    414: "RequestURITooLong",
    415: "UnsupportedMediaType",
    422: "Invalid",
    429: "TooManyRequests",
    431: "RequestHeaderFieldsTooLarge",
    500: "InternalError",
    503: "ServiceUnavailable",
    504: "Timeout",
    507: "InsufficientStorage",
}
_OF_STORE: dict[type[BayplanError], tuple[int, str]] = {
    store_errors.NotFoundError: (404, "NotFound"),
    store_errors.AlreadyExistsError: (409, "AlreadyExists"),
    store_errors.StaleError: (409, "Conflict"),
    store_errors.ForbiddenError: (403, "Forbidden"),
    store_errors.ExpiredError: (410, "Expired"),
    store_errors.InvalidObjectError: (422, "Invalid"),
    store_errors.StoreFailedError: (507, "InsufficientStorage"),
}


@dataclass(frozen=True, slots=True)
class Cause:
    """One thing that is wrong, and the field in which it is."""

    field: str
    message: str
    reason: str = "FieldValueInvalid"


@dataclass(slots=True)
class Refusal(Exception):  # noqa: N818 (an answer to the client, not a fault of the program)
    """An answer other than success; handlers raise it and the app sends it as a Status."""

    code: int
    message: str
    reason: str = ""
    causes: list[Cause] = field(default_factory=list)
    details: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """The Status that clients read."""
        details = dict(self.details)
        if self.causes:
            details["causes"] = [
                {"reason": each.reason, "message": each.message, "field": each.field} for each in self.causes
            ]
        return {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
            "reason": self.reason or REASONS.get(self.code, "Unknown"),
            **({"details": details} if details else {}),
            "code": self.code,
        }


def refusal_of(error: BayplanError) -> Refusal:
    """The answer to an error of the store or of a reader; what is wrong with the request itself is 400."""
    for kind, (code, reason) in _OF_STORE.items():
        if isinstance(error, kind):
            return Refusal(code, str(error), reason)
    return Refusal(400, str(error))


def invalid(kind: str, name: str, group: str, causes: Iterable[Cause]) -> Refusal:
    """422 with every problem at once, in the wording of Kubernetes' clients: KIND "NAME" is invalid: …."""
    listed = list(causes)
    problems = [f"{each.field}: {each.message}" if each.field else each.message for each in listed]
    text = problems[0] if len(problems) == 1 else "[" + ", ".join(problems) + "]"
    shown = f"{kind}.{group}" if group else kind
    message = f'{shown} "{name}" is invalid: {text}'
    return Refusal(422, message, "Invalid", listed, {"name": name, "group": group, "kind": kind})


def success(**details: Any) -> dict[str, Any]:
    """A Status that says that something was done."""
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details}
