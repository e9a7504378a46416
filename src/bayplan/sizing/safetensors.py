"""Tensors of a safetensors header: their names and bytes, checked against each other and against the file."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from bayplan.cluster.quantities import shown
from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

LENGTH_BYTES = 8
MOST_HEADER_BYTES = 6 * 2**20
MOST_DIMENSIONS = 16
_LARGEST = 2**63 - 1

DTYPE_BITS = {
    "BOOL": 8, "U8": 8, "I8": 8, "F8_E4M3": 8, "F8_E5M2": 8, "F8_E8M0": 8, "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8,
    "U16": 16, "I16": 16, "F16": 16, "BF16": 16, "U32": 32, "I32": 32, "F32": 32, "U64": 64, "I64": 64, "F64": 64,
    "C64": 64, "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6,
}  # fmt: skip

_WHOLE = "check that the file is whole"


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


def tensor_bytes(header: object, data_bytes: int) -> dict[str, int]:
    """Bytes of every tensor. Tensors may not overlap, nor reach beyond the file, nor differ from their shapes."""
    if not isinstance(header, dict):
        raise InputError("the header is no mapping", place="byte 8", next=_WHOLE)
    spans = {name: _span(name, tensor) for name, tensor in header.items() if name != "__metadata__"}
    end = 0
    for name, (begin, beyond) in sorted(spans.items(), key=lambda span: span[1]):
        if begin < end:
            raise InputError(f"the tensor overlaps another by {end - begin:,} bytes", place=name, next=_WHOLE)
        end = beyond
    if end > data_bytes:
        message = f"the tensors take {end:,} bytes, and the file holds {data_bytes:,} of them"
        raise InputError(message, place="byte 8", next="finish the download")
    return {name: beyond - begin for name, (begin, beyond) in spans.items()}


def _span(name: str, tensor: object) -> tuple[int, int]:
    if not isinstance(tensor, dict):
        raise InputError(f"{shown(tensor)} is no tensor", place=name, next=_WHOLE)
    offsets = _counts(tensor.get("data_offsets"))
    if len(offsets) != 2 or offsets[0] > offsets[1]:
        problem = f"{shown(tensor.get('data_offsets'))} are no offsets"
        raise InputError(problem, place=f"{name}.data_offsets", next=_WHOLE)
    begin, beyond = offsets
    expected = _shape_bytes(name, tensor)
    if expected is not None and expected != beyond - begin:
        message = f"its shape takes {expected:,} bytes and its offsets {beyond - begin:,}"
        raise InputError(message, place=name, next=_WHOLE)
    return begin, beyond


def _shape_bytes(name: str, tensor: Mapping[str, Any]) -> int | None:
    """None for a kind of number that is not known: then the offsets alone count."""
    shape = _counts(tensor.get("shape"))
    if not shape and tensor.get("shape") != []:
        raise InputError(f"{shown(tensor.get('shape'))} is no shape", place=f"{name}.shape", next=_WHOLE)
    bits = DTYPE_BITS.get(str(tensor.get("dtype")))
    return None if bits is None else -(-math.prod(shape) * bits // 8)


def _counts(found: object) -> list[int]:
    """A short list of whole numbers; empty where it is anything else."""
    if not isinstance(found, list) or len(found) > MOST_DIMENSIONS:
        return []
    return found if all(type(each) is int and 0 <= each <= _LARGEST for each in found) else []
