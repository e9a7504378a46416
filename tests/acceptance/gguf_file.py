"""The head of a GGUF file, version 3: key-values, then what each tensor is and where it begins."""

from __future__ import annotations

import struct
from math import prod
from typing import Any

from acceptance.case_files import CaseError

# name: (number of the type, values in a block, bytes of a block)
TYPES = {
    "F32": (0, 1, 4), "F16": (1, 1, 2), "BF16": (30, 1, 2), "F64": (28, 1, 8),
    "I8": (24, 1, 1), "I16": (25, 1, 2), "I32": (26, 1, 4), "I64": (27, 1, 8),
    "Q4_0": (2, 32, 18), "Q4_1": (3, 32, 20), "Q5_0": (6, 32, 22), "Q5_1": (7, 32, 24), "Q8_0": (8, 32, 34),
    "Q2_K": (10, 256, 84), "Q3_K": (11, 256, 110), "Q4_K": (12, 256, 144), "Q5_K": (13, 256, 176),
    "Q6_K": (14, 256, 210), "Q8_K": (15, 256, 292),
    "IQ2_XXS": (16, 256, 66), "IQ2_XS": (17, 256, 74), "IQ3_XXS": (18, 256, 98), "IQ1_S": (19, 256, 50),
    "IQ4_NL": (20, 32, 18), "IQ3_S": (21, 256, 110), "IQ2_S": (22, 256, 82), "IQ4_XS": (23, 256, 136),
    "IQ1_M": (29, 256, 56), "MXFP4": (39, 32, 17),
}  # fmt: skip

_UINT32, _STRING = 4, 8
_ALIGNMENT = 32


def gguf_header(metadata: dict[str, Any], tensors: dict[str, tuple[str, list[int]]]) -> tuple[bytes, int]:
    """The first bytes of the file and its whole length; a shape has its innermost dimension first."""
    alignment = metadata.get("general.alignment", _ALIGNMENT)
    infos, end = [], 0
    for name, (kind, shape) in tensors.items():
        start = _aligned(end, alignment)
        end = start + _bytes(name, kind, shape)
        infos.append(_string(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, TYPES[kind][0], start))
    counts = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(metadata))
    head = b"".join([counts, *(_string(key) + _value(key, value) for key, value in metadata.items()), *infos])
    return head, _aligned(len(head), alignment) + end


def _bytes(name: str, kind: str, shape: list[int]) -> int:
    if kind not in TYPES:
        raise CaseError(f"files: {name}: unknown type {kind!r}; the runner knows {', '.join(TYPES)}")
    _, block, size = TYPES[kind]
    if not shape or shape[0] % block:
        raise CaseError(f"files: {name}: the innermost dimension of {shape} is no multiple of {block} ({kind})")
    return prod(shape) // block * size


def _value(key: str, value: Any) -> bytes:
    if isinstance(value, str):
        return struct.pack("<I", _STRING) + _string(value)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**32:
        return struct.pack("<II", _UINT32, value)
    raise CaseError(f"files: metadata {key}: {value!r} is neither a text nor a UINT32")


def _string(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def _aligned(offset: int, alignment: int) -> int:
    return offset + -offset % alignment
