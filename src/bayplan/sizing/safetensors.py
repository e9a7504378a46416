"""Tensors of a safetensors header: their names and bytes, checked against each other and against the file."""

from __future__ import annotations

import json
import math
import re
from typing import NamedTuple

from bayplan.cluster.quantities import shown
from bayplan.framework.errors import InputError

LENGTH_BYTES = 8  # a file begins with the length of its header in 64 bits
MOST_HEADER_BYTES = 16 * 2**20  # above the header of 40,000 tensors; the format itself allows 100 MB
MOST_TENSORS = 40_000  # per file; shards of the largest models hold some thousands
MOST_DIMENSIONS = 16  # weights have two to five
_LARGEST = 2**63 - 1  # offsets of files are signed 64-bit numbers

DTYPE_BITS = {
    "BOOL": 8, "U8": 8, "I8": 8, "F8_E4M3": 8, "F8_E5M2": 8, "F8_E8M0": 8, "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8,
    "U16": 16, "I16": 16, "F16": 16, "BF16": 16, "U32": 32, "I32": 32, "F32": 32, "U64": 64, "I64": 64, "F64": 64,
    "C64": 64, "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6,
}  # fmt: skip

_BITS = {name.encode(): bits for name, bits in DTYPE_BITS.items()}
_METADATA = "__metadata__"
_LONGEST_NAME = 120  # longer names are cut in messages
_LONGEST_TENSOR = 4096  # an entry has a type, a shape and two offsets: a hundred bytes

# Possessive throughout: what does not match is found out in one pass.
_OPENING = re.compile(rb"\s*+\{")
_END = re.compile(rb"\s*+\}\s*+\Z")
_NAME = re.compile(rb'\s*+"((?:[^"\\]++|\\.)*+)"\s*+:')
_NEXT_NAME = re.compile(rb"\s*+," + _NAME.pattern)
_OBJECT = re.compile(rb'\s*+\{(?:[^"{}]++|"(?:[^"\\]++|\\.)*+")*+\}')
_USUAL = re.compile(
    rb'\s*+\{\s*+"dtype"\s*+:\s*+"(\w++)"\s*+,\s*+"shape"\s*+:\s*+\[((?:[0-9]{1,19}+(?:,\s*+[0-9]{1,19}+){0,15}+)?+)\]'
    rb'\s*+,\s*+"data_offsets"\s*+:\s*+\[\s*+([0-9]{1,18}+)\s*+,\s*+([0-9]{1,18}+)\s*+\]\s*+\}'
)
_WHOLE = "check that the file is whole"


class Tensor(NamedTuple):
    """Bytes of a tensor, the kind of its numbers, and whether it has two dimensions or more."""

    size_bytes: int
    dtype: str
    is_matrix: bool


class _Span(NamedTuple):
    begin: int
    beyond: int
    dtype: str
    is_matrix: bool


def header_length(prefix: bytes, file_bytes: int) -> int:
    """The length of the header, from the first eight bytes of a file of that size."""
    if len(prefix) < LENGTH_BYTES:
        raise InputError(f"the file ends after {len(prefix)} bytes", place="byte 0", next=_WHOLE)
    length = int.from_bytes(prefix[:LENGTH_BYTES], "little")
    if length > file_bytes - LENGTH_BYTES:
        message = f"the header should take {length:,} bytes, and the file has {file_bytes - LENGTH_BYTES:,} for it"
        raise InputError(message, place="byte 0", next=_WHOLE)
    if length > MOST_HEADER_BYTES:
        message = f"a header of {length:,} bytes is too large: at most {MOST_HEADER_BYTES:,} are read"
        raise InputError(message, place="byte 0", next="split the model into shards, or give model.weights")
    return length


def read_tensors(header: bytes, data_bytes: int) -> dict[str, Tensor]:
    """Every tensor by its name. Refuses tensors that overlap, exceed the file or differ from their shapes."""
    spans = _spans(header)
    end = 0
    for name, span in sorted(spans.items(), key=lambda item: item[1][:2]):
        if span.begin < end:
            message = f"the tensor overlaps another by {end - span.begin:,} bytes"
            raise InputError(message, place=_short(name), next=_WHOLE)
        end = span.beyond
    if end > data_bytes:
        message = f"the tensors take {end:,} bytes, and the file holds {data_bytes:,} of them"
        raise InputError(message, place="byte 8", next="finish the download")
    return {name: Tensor(span.beyond - span.begin, span.dtype, span.is_matrix) for name, span in spans.items()}


def _spans(header: bytes) -> dict[str, _Span]:
    """Where each tensor begins and ends.

    A header is one flat mapping, so it is read entry by entry: a JSON parser would build
    all of a hostile text before its size could be checked.
    """
    if header.count(b'"data_offsets"') > MOST_TENSORS:
        raise _too_many(0)
    spans: dict[str, _Span] = {}
    end = _expect(_OPENING, header, 0).end()
    while not _END.match(header, end):
        named = _expect(_NEXT_NAME if spans else _NAME, header, end)
        name = _decoded(named[1])
        if name in spans:
            raise InputError("the tensor is listed twice", place=_short(name), next=_WHOLE)
        spans[name], end = _usual(header, named.end()) or _any(name, header, named.end())
        if len(spans) > MOST_TENSORS:
            raise _too_many(end)
    spans.pop(_METADATA, None)
    return spans


def _usual(header: bytes, position: int) -> tuple[_Span, int] | None:
    """The span of a tensor in the usual spelling, and where the header continues; None for any other spelling."""
    found = _USUAL.match(header, position)
    if found is None:
        return None
    dtype, shape, begin, beyond = found.groups()
    bits = _BITS.get(dtype)
    for side in shape.split(b","):
        bits = bits * int(side) if bits is not None and side else bits
    span = _Span(int(begin), int(beyond), dtype.decode(errors="replace"), b"," in shape)
    return (span, found.end()) if bits == (span.beyond - span.begin) * 8 else None


def _any(name: str, header: bytes, position: int) -> tuple[_Span, int]:
    """The span of a tensor in any spelling; refused with what is wrong with it."""
    found = _expect(_OBJECT, header, position)
    return (_Span(0, 0, "", is_matrix=False) if name == _METADATA else _careful(name, found[0])), found.end()


def _expect(expected: re.Pattern[bytes], header: bytes, position: int) -> re.Match[bytes]:
    found = expected.match(header, position)
    if found is None:
        raise _not_here(position, "this is not a safetensors header")
    return found


def _not_here(position: int, message: str) -> InputError:
    return InputError(message, place=f"byte {LENGTH_BYTES + position:,}", next=_WHOLE)


def _too_many(position: int) -> InputError:
    return _not_here(position, f"the header holds more than {MOST_TENSORS:,} tensors")


def _decoded(name: bytes) -> str:
    if b"\\" not in name:
        return name.decode(errors="replace")
    try:
        return str(json.loads(b'"' + name + b'"'))
    except ValueError:
        return name.decode(errors="replace")


def _careful(name: str, text: bytes) -> _Span:
    if len(text) > _LONGEST_TENSOR:
        raise InputError(f"{len(text):,} bytes are too many for a tensor", place=_short(name), next=_WHOLE)
    try:
        tensor = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError("this is not a tensor", place=_short(name), next=_WHOLE) from None
    return _span(name, tensor.get("dtype"), tensor.get("shape"), tensor.get("data_offsets"))


def _span(name: str, dtype: object, shape: object, offsets: object) -> _Span:
    span = _counts(offsets)
    if len(span) != 2 or span[0] > span[1]:
        place = f"{_short(name)}.data_offsets"
        raise InputError(f"{shown(offsets)} are no offsets", place=place, next=_WHOLE)
    begin, beyond = span
    sides = _counts(shape)
    if not sides and shape != []:
        raise InputError(f"{shown(shape)} is no shape", place=f"{_short(name)}.shape", next=_WHOLE)
    bits = DTYPE_BITS.get(str(dtype))
    expected = beyond - begin if bits is None else -(-math.prod(sides) * bits // 8)
    if expected != beyond - begin:
        message = f"its shape takes {expected:,} bytes and its offsets {beyond - begin:,}"
        raise InputError(message, place=_short(name), next=_WHOLE)
    return _Span(begin, beyond, str(dtype)[:_LONGEST_NAME], len(sides) > 1)


def _counts(found: object) -> list[int]:
    """A short list of whole numbers; empty for any other value."""
    if not isinstance(found, list) or len(found) > MOST_DIMENSIONS:
        return []
    return found if all(type(each) is int and 0 <= each <= _LARGEST for each in found) else []


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else name[:_LONGEST_NAME] + "..."
