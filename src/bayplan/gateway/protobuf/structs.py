"""google.protobuf.Struct as plain data, and back."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, Final

from bayplan.gateway.protobuf import writer
from bayplan.gateway.protobuf.reader import FIXED64, LENGTH, VARINT, WireError, fields

if TYPE_CHECKING:
    from collections.abc import Mapping

_DOUBLE: Final = struct.Struct("<d")
_DEEPEST: Final = 16  # levels; what gateways tell has three
# the fields of a Value
_NULL, _NUMBER, _STRING, _BOOL, _STRUCT, _LIST = range(1, 7)


def read_struct(data: bytes, at: int = 0, end: int | None = None, depth: int = 0) -> dict[str, Any]:
    """The fields of a Struct; of equal names the last one counts."""
    return {
        name: _value(data, begin, stop, depth) for name, begin, stop in entries(data, at, end)
    }  # fmt: skip


def entries(data: bytes, at: int = 0, end: int | None = None, number: int = 1) -> list[tuple[str, int, int]]:
    """The entries of a map with text as keys: the key, and where its value begins and ends."""
    found = []
    for field, kind, begin, stop in fields(data, at, end):
        if field == number and kind == LENGTH:
            found.append(_entry(data, begin, stop))
    return found


def _entry(data: bytes, at: int, end: int) -> tuple[str, int, int]:
    name, value = "", (end, end)
    for field, kind, begin, stop in fields(data, at, end):
        if kind == LENGTH and field == 1:
            name = data[begin:stop].decode("utf-8", "replace")
        elif kind == LENGTH and field == 2:
            value = begin, stop
    return name, *value


def _value(data: bytes, at: int, end: int, depth: int) -> Any:
    if depth > _DEEPEST:
        raise WireError(f"values are nested more than {_DEEPEST} deep")
    found: Any = None
    for field, kind, begin, stop in fields(data, at, end):
        if field == _NUMBER and kind == FIXED64:
            found = _DOUBLE.unpack_from(data, begin)[0]
        elif field == _BOOL and kind == VARINT:
            found = bool(begin)
        elif kind == LENGTH:
            found = _long_value(data, field, begin, stop, depth)
    return found


def _long_value(data: bytes, field: int, at: int, end: int, depth: int) -> Any:
    if field == _STRING:
        return data[at:end].decode("utf-8", "replace")
    if field == _STRUCT:
        return read_struct(data, at, end, depth + 1)
    if field == _LIST:
        return [_value(data, begin, stop, depth + 1) for number, _, begin, stop in fields(data, at, end) if number == 1]
    return None


def write_struct(values: Mapping[str, Any]) -> bytes:
    """A Struct of text, numbers, truth values, None, lists and mappings."""
    return b"".join(
        writer.message(1, writer.text(1, name) + writer.message(2, _write_value(value)))
        for name, value in values.items()
    )


def _write_value(value: Any) -> bytes:
    if value is None:
        return writer.number(_NULL, 0)
    if isinstance(value, bool):
        return writer.number(_BOOL, value)
    if isinstance(value, str):
        return writer.text(_STRING, value)
    if isinstance(value, (int, float)):
        return writer.varint(_NUMBER << 3 | FIXED64) + _DOUBLE.pack(value)
    if isinstance(value, (list, tuple)):
        return writer.message(_LIST, b"".join(writer.message(1, _write_value(each)) for each in value))
    return writer.message(_STRUCT, write_struct(value))
