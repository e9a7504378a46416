"""The head of a safetensors file: how long the header is, and the header, a JSON document."""

from __future__ import annotations

import json
import struct
from math import prod
from typing import Any

from acceptance.case_files import CaseError

BYTES = {
    "F64": 8, "F32": 4, "F16": 2, "BF16": 2, "F8_E4M3": 1, "F8_E5M2": 1, "F8_E8M0": 1,
    "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U64": 8, "U32": 4, "U16": 2, "U8": 1, "BOOL": 1,
}  # fmt: skip


def safetensors_header(tensors: dict[str, tuple[str, list[int]]]) -> tuple[bytes, int]:
    """The first bytes of the file and its whole length."""
    header: dict[str, Any] = {}
    end = 0
    for name, (dtype, shape) in tensors.items():
        if dtype not in BYTES:
            raise CaseError(f"files: {name}: unknown dtype {dtype!r}; the runner knows {', '.join(BYTES)}")
        start, end = end, end + prod(shape) * BYTES[dtype]
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [start, end]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text, 8 + len(text) + end
