"""Refusals of an engine, in the form that OpenAI's clients read."""

from __future__ import annotations

from typing import Any, Final

_TYPES: Final = {
    400: "BadRequestError",
    403: "PermissionDeniedError",
    404: "NotFoundError",
    429: "RateLimitError",
    500: "InternalServerError",
    503: "ServiceUnavailableError",
}


class RefusalError(Exception):
    """An answer other than 200; `param` names the field that is wrong."""

    def __init__(self, status: int, message: str, param: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.param = param

    def document(self) -> dict[str, Any]:
        """The body of the answer."""
        kind = _TYPES.get(self.status, "BadRequestError")
        return {"error": {"message": self.message, "type": kind, "param": self.param, "code": self.status}}
