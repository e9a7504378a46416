"""Which form of an answer a client accepts: the object itself, a Table for people, or its metadata alone."""

from __future__ import annotations

from enum import Enum, auto
from functools import lru_cache

from bayplan.api.status import Refusal

JSON = "application/json"
_ANY = ("*/*", "application/*", JSON)


class Form(Enum):
    """The form of objects in an answer."""

    OBJECT = auto()
    TABLE = auto()
    METADATA = auto()


_FORMS = {"Table": Form.TABLE, "PartialObjectMetadata": Form.METADATA, "PartialObjectMetadataList": Form.METADATA}


@lru_cache(maxsize=256)  # clients send a handful of different headers; hostile ones must not fill the memory
def accepted_form(header: str) -> Form:
    """The first form of the header that can be given; protobuf and CBOR are passed over, because JSON is understood."""
    if not header.strip():
        return Form.OBJECT
    for choice in header.split(","):
        media, *parameters = (part.strip() for part in choice.split(";"))
        if media.lower() not in _ANY:
            continue
        named = dict(part.split("=", 1) for part in parameters if "=" in part)
        if "as" not in named:
            return Form.OBJECT
        if named.get("g", "meta.k8s.io") == "meta.k8s.io" and named["as"] in _FORMS:
            return _FORMS[named["as"]]
    raise Refusal(406, f"only the following media types are accepted: {JSON}; the request accepts {header[:200]!r}")


def content_type(header: str) -> str:
    """The media type of a body, without its parameters."""
    return header.split(";", 1)[0].strip().lower()
