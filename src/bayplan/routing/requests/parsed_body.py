"""What a parser finds in a request's body."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.routing.requests.routed_request import Prompt


class ParsedBody(NamedTuple):
    """The parts of a body that routing looks at; `model` is None where the body names none."""

    prompts: tuple[Prompt, ...] = ()
    media: tuple[str, ...] = ()
    model: str | None = None
    max_tokens: int | None = None
    stream: bool = False
    cache_salt: str = ""


class Parser(Protocol):
    """Reads the bodies of one API.

    `paths` are the ends of the paths that it claims; a parser without any takes whatever no other claims. One that is
    `opaque` is never shown a body; one that is not `needs_model` accepts requests that name no model.
    """

    name: str
    paths: tuple[str, ...]
    opaque: bool
    needs_model: bool

    def read(self, path: str, body: Mapping[str, Any]) -> ParsedBody:
        """The parts of a body; `path` is the end that was claimed. InputError for what the client did wrong."""
        ...


def needed(body: Mapping[str, Any], field: str) -> Any:
    """A field that a request cannot do without."""
    value = body.get(field)
    if not value and (value is None or value in ("", [])):
        state = "is missing" if field not in body else "is empty"
        raise InputError(f"{state}, but this path needs it", place=f"body.{field}", next=f"send {field!r} in the body")
    return value


def model_of(body: Mapping[str, Any]) -> str | None:
    """The model that a body names; empty and null count as none."""
    model = body.get("model")
    if model is None or model == "":
        return None
    if not isinstance(model, str):
        raise InputError(f"is a {type(model).__name__}", place="body.model", next="send the model's name as text")
    return model


def count_of(body: Mapping[str, Any], *fields: str) -> int | None:
    """The first of these fields that holds a whole number from 0 on; engines refuse others themselves."""
    for field in fields:
        if field in body:
            value = body[field]
            if type(value) is int and value >= 0:
                return value
    return None


def salt_of(body: Mapping[str, Any]) -> str:
    """The text that keeps prefix caches of different tenants apart."""
    salt = body.get("cache_salt")
    return salt if isinstance(salt, str) else ""
