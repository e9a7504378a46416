"""Documents in protobuf, which kubectl sends for some kinds of Kubernetes and cannot be asked not to.

`kubectl auth can-i`, `drain`, `create configmap` and others do so. Answers may be JSON: such clients accept it.
"""

from __future__ import annotations

from base64 import b64encode
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from bayplan.control.resources.schema import shape_named
from bayplan.control.resources.shape import Form
from bayplan.control.resources.wire_format import double, fields_of, part, signed, text
from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.control.resources.shape import ObjectType, Shape
    from bayplan.control.resources.wire_format import Raw

Document = dict[str, Any]

MEDIA_TYPE = "application/vnd.kubernetes.protobuf"
_MAGIC = b"k8s\x00"  # every document begins with it
_SECONDS, _MICROSECONDS = "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S.%fZ"
_NOTHING = memoryview(b"")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MOST_SECONDS = 253_402_300_799  # the last second of the year 9999: later moments have no timestamp


class _Entry(NamedTuple):
    """One field on the wire: its name in JSON, or the group whose fields stand beside it."""

    name: str
    inlined: bool
    pointer: bool
    """Whether an empty value was given on purpose; other empty values mean that the field is absent."""


def read_protobuf(body: bytes) -> Document:
    """The document in a body; InputError where it cannot be read or its kind is not known in protobuf."""
    if not body.startswith(_MAGIC):
        raise InputError("the protobuf does not begin as documents do", place="body", next="send application/json")
    raw = _NOTHING
    api_version = kind = ""
    for number, value in fields_of(memoryview(body)[len(_MAGIC) :]):
        if number == 1:
            named = _inner(value)
            api_version, kind = text(named.get(1, _NOTHING)), text(named.get(2, _NOTHING))
        elif number == 2:
            raw = part(value)
    if kind not in _numbers():
        following = "send application/json"
        raise InputError(f"documents of kind {kind[:64]!r} are not read as protobuf", place="body", next=following)
    found = shape_named(kind).type
    document = {} if found is None else _object(found, kind, raw)
    return {"apiVersion": api_version, "kind": kind, **document}


@cache
def _numbers() -> dict[str, dict[int, _Entry]]:
    """The fields of each type by number; `schemas/wire.json` marks pointers with `*` and groups with `+`."""
    path = files("bayplan.control.resources") / "schemas" / "wire.json"
    written: dict[str, dict[str, str]] = orjson.loads(path.read_bytes())
    return {
        name: {
            int(number.rstrip("*")): _Entry(field.lstrip("+"), field.startswith("+"), number.endswith("*"))
            for field, number in fields.items()
        }
        for name, fields in written.items()
    }


def _object(kind: ObjectType, wire: str, message: memoryview) -> Document:
    """An object of a type; `wire` names the group of its fields that the message holds."""
    numbers = _numbers().get(wire, {})
    found: Document = {}
    for number, raw in fields_of(message):
        entry = numbers.get(number)
        if entry is None:
            continue  # newer clients have fields that we do not know
        if entry.inlined:
            found |= _object(kind, entry.name, part(raw))
        elif (field := kind.fields.get(entry.name)) is not None:
            _add(found, entry, field.shape, raw, keep=entry.pointer or field.required)
    return found


def _add(found: Document, entry: _Entry, shape: Shape, raw: Raw, *, keep: bool) -> None:
    if shape.form is Form.LIST and shape.item is not None:
        found.setdefault(entry.name, []).append(_value(shape.item, raw))
    elif shape.form is Form.MAP and shape.item is not None:
        pair = _inner(raw)
        value = _value(shape.item, pair[2]) if 2 in pair else ""
        found.setdefault(entry.name, {})[text(pair.get(1, _NOTHING))] = value
    else:
        value = _value(shape, raw)
        if keep or value not in ("", 0, {}, None):
            found[entry.name] = value


def _value(shape: Shape, raw: Raw) -> Any:
    if shape.form is Form.OBJECT and shape.type is not None:
        return _object(shape.type, shape.type.name.rpartition(".")[2], part(raw))
    if shape.form is Form.LIST:  # a list inside a map is a message of its own
        return [text(each) for _, each in fields_of(part(raw))]
    if shape.form is not Form.SCALAR:
        return _open(_inner(raw))
    return _SCALARS[shape.scalar](raw)


def _open(inner: dict[int, Raw]) -> Any:
    """An object of any fields is JSON inside the protobuf."""
    try:
        return orjson.loads(part(inner[1])) if 1 in inner else {}
    except orjson.JSONDecodeError:
        raise InputError("the protobuf holds broken JSON", place="body", next="send application/json") from None


def _inner(raw: Raw) -> dict[int, Raw]:
    """The fields of a message by number; of repeated ones the last."""
    return dict(fields_of(part(raw)))


def _whole(raw: Raw) -> int:
    return signed(raw) if isinstance(raw, int) else 0


def _either(raw: Raw) -> int | str:
    """A number or a text: field 1 says which, 2 is the number and 3 the text."""
    inner = _inner(raw)
    return text(inner.get(3, _NOTHING)) if inner.get(1) else _whole(inner.get(2, 0))


def _time(inner: dict[int, Raw], form: str) -> str | None:
    """A moment from seconds and nanoseconds; a message without them means no time at all."""
    seconds, nanos = inner.get(1, 0), inner.get(2, 0)
    if not isinstance(seconds, int) or not isinstance(nanos, int) or not 0 < seconds <= _MOST_SECONDS:
        return None
    moment = _EPOCH + timedelta(seconds=seconds, microseconds=min(nanos // 1000, 999_999))
    return moment.strftime(form)


_SCALARS: dict[str, Callable[[Raw], Any]] = {
    "bool": bool,
    "int32": _whole,
    "int64": _whole,
    "number": double,
    "bytes": lambda raw: b64encode(part(raw)).decode(),
    "time": lambda raw: _time(_inner(raw), _SECONDS),
    "microtime": lambda raw: _time(_inner(raw), _MICROSECONDS),
    "quantity": lambda raw: text(_inner(raw).get(1, memoryview(b"0"))),
    "int-or-string": _either,
    "string": text,
}
