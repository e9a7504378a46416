"""The header of a GGUF file: its metadata, and the bytes of its tensors."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from bayplan.sizing.byte_cursor import ByteCursor
from bayplan.sizing.ggml_types import GGML_TYPES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.sizing.byte_cursor import ByteSource

Value: TypeAlias = int | float | bool | str | tuple[int, ...]

MAGIC = b"GGUF"
VERSIONS = (2, 3)  # version 1 has 32-bit lengths and is no longer written
MOST_KEYS = 10_000  # real files have some dozens
MOST_TENSORS = 200_000  # far above any model; it bounds the work on a hostile header
MOST_TEXTS = 1_000_000  # tokens and merges of a vocabulary of 256,000 words, with room to spare
MOST_TEXT_BYTES = 65_536  # longer than any name; chat templates above it are skipped
MOST_DIMENSIONS = 8  # ggml itself allows four
DEEPEST_ARRAY = 4  # real files nest one level
MOST_KEPT = 10_000  # lists with one number per layer are kept, vocabularies are not
ALIGNMENT = 32  # the default of the format where `general.alignment` is absent

_U32, _U64 = struct.Struct("<I"), struct.Struct("<Q")
_NUMBERS = {
    0: struct.Struct("<B"),
    1: struct.Struct("<b"),
    2: struct.Struct("<H"),
    3: struct.Struct("<h"),
    4: _U32,
    5: struct.Struct("<i"),
    6: struct.Struct("<f"),
    7: struct.Struct("<?"),
    10: _U64,
    11: struct.Struct("<q"),
    12: struct.Struct("<d"),
}
_TEXT, _ARRAY = 8, 9
_WHOLE_NUMBERS = frozenset({0, 1, 2, 3, 4, 5, 7, 10, 11})


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """Metadata without long lists, the lengths of these lists, and bytes of tensors; `odd` are unknown tensor types."""

    metadata: Mapping[str, Value]
    lengths: Mapping[str, int]
    tensors: Mapping[str, int]
    data_begin: int
    data_end: int
    odd: frozenset[int] = field(default_factory=frozenset)


class _Reader:
    """Reads one header. Texts are counted over the whole file, so that a hostile file cannot take long."""

    __slots__ = ("_cursor", "_lengths", "_odd", "_texts")

    def __init__(self, source: ByteSource) -> None:
        self._cursor = ByteCursor(source)
        self._texts = 0
        self._lengths: dict[str, int] = {}
        self._odd: set[int] = set()

    def header(self) -> GgufHeader:
        cursor = self._cursor
        if cursor.take(4) != MAGIC:
            cursor.offset = 0
            raise cursor.refusal("this is not a GGUF file")
        version = self._whole(_U32)
        if version not in VERSIONS:
            raise cursor.refusal(f"version {version} of GGUF is not known, only {VERSIONS[0]} and {VERSIONS[1]}")
        tensors = self._count("tensors", MOST_TENSORS)
        keys = self._count("keys", MOST_KEYS)
        metadata: dict[str, Value] = {}
        for _ in range(keys):
            name = self._text()
            value = self._value(name, self._whole(_U32))
            if value is not None:
                metadata[name] = value
        sizes, end = self._tensors(tensors)
        step = metadata.get("general.alignment", ALIGNMENT)
        step = step if isinstance(step, int) and 0 < step <= 2**20 else ALIGNMENT
        begin = -(-cursor.offset // step) * step
        return GgufHeader(metadata, self._lengths, sizes, begin, begin + end, frozenset(self._odd))

    def _whole(self, form: struct.Struct) -> int:
        return int(self._cursor.number(form))

    def _count(self, what: str, most: int) -> int:
        count = self._whole(_U64)
        if count > most:
            raise self._cursor.refusal(f"{count:,} {what} are too many: at most {most:,} are read")
        return count

    def _text(self) -> str:
        length = self._count("bytes of a text", MOST_TEXT_BYTES)
        return self._cursor.take(length).decode(errors="replace")

    def _value(self, name: str, kind: int) -> Value | None:
        """One value of the metadata; None for long texts and lists, which are not kept."""
        if kind in _NUMBERS:
            return self._cursor.number(_NUMBERS[kind])
        if kind == _TEXT:
            return self._kept_text()
        if kind == _ARRAY:
            return self._array(name)
        raise self._cursor.refusal(f"{name[:80]!r} is of the unknown kind {kind}")

    def _kept_text(self) -> str | None:
        length = self._whole(_U64)
        if length <= MOST_TEXT_BYTES:
            return self._cursor.take(length).decode(errors="replace")
        self._cursor.skip(length)
        return None

    def _array(self, name: str, depth: int = 1) -> tuple[int, ...] | None:
        kind, count = self._whole(_U32), self._whole(_U64)
        self._lengths.setdefault(name, count)
        if kind in _NUMBERS:
            form = _NUMBERS[kind]
            if kind in _WHOLE_NUMBERS and count <= MOST_KEPT:
                return tuple(int(self._cursor.number(form)) for _ in range(count))
            self._cursor.skip(count * form.size)
            return None
        self._texts += count
        if self._texts > MOST_TEXTS:
            raise self._cursor.refusal(f"{name[:80]!r} holds too many entries: at most {MOST_TEXTS:,} are read")
        if kind == _TEXT:
            self._cursor.skip_texts(count)
        elif kind != _ARRAY:
            raise self._cursor.refusal(f"{name[:80]!r} is a list of the unknown kind {kind}")
        elif depth >= DEEPEST_ARRAY:
            raise self._cursor.refusal(f"{name[:80]!r} is nested more than {DEEPEST_ARRAY} levels deep")
        else:
            for _ in range(count):
                self._array(name, depth + 1)
        return None

    def _tensors(self, count: int) -> tuple[dict[str, int], int]:
        """The bytes of each tensor, and the offset at which the last tensor ends."""
        sizes: dict[str, int] = {}
        end = 0
        for _ in range(count):
            name = self._text()
            dimensions = self._whole(_U32)
            if dimensions > MOST_DIMENSIONS:
                raise self._cursor.refusal(f"{name[:80]!r} has {dimensions:,} dimensions")
            values = math.prod(self._whole(_U64) for _ in range(dimensions))
            block = self._block()
            size_bytes = 0 if block is None else -(-values // block[0]) * block[1]
            if size_bytes >= 2**63:
                raise self._cursor.refusal(f"{name[:80]!r} would take {size_bytes:,} bytes")
            if name in sizes:
                raise self._cursor.refusal(f"{name[:80]!r} is listed twice")
            sizes[name] = size_bytes
            end = max(end, self._whole(_U64) + size_bytes)
        return sizes, end

    def _block(self) -> tuple[int, int] | None:
        kind = self._whole(_U32)
        block = GGML_TYPES.get(kind)
        if block is None:
            self._odd.add(kind)
            return None
        return block.values, block.size_bytes


def read_gguf(source: ByteSource) -> GgufHeader:
    """The header; InputError with the offset of the byte that makes it invalid."""
    return _Reader(source).header()
