"""Writes the model files of a case: headers that are true, bodies that are holes."""

from __future__ import annotations

import json
import re
from itertools import product
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from acceptance.case_files import CaseError, known_keys
from acceptance.gguf_file import gguf_header
from acceptance.safetensors_file import safetensors_header

if TYPE_CHECKING:
    from pathlib import Path

    from acceptance.case_files import Document

Tensors = dict[str, tuple[str, list[int]]]

_RANGE = re.compile(r"\{(\d+)\.\.(\d+)\}")


def write_files(files: Document, folder: Path) -> None:
    for name, entry in files.items():
        _refuse_outside(name)
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(entry, dict) and entry.keys() == {"text"}:
            path.write_text(entry["text"])
        elif path.suffix == ".json":
            path.write_text(json.dumps(_listed(_filled(name, entry, files))))
        else:
            header, size = _content(name, entry)
            _write_sparse(path, header, size)


def _listed(value: Any) -> Any:
    """A copy in which `{a..b}` in a list of names stands for each number."""
    if isinstance(value, list):
        return [entry for part in value for entry in (expanded(part) if isinstance(part, str) else [_listed(part)])]
    if isinstance(value, dict):
        return {key: _listed(entry) for key, entry in value.items()}
    return value


def _refuse_outside(name: str) -> None:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not path.name:
        raise CaseError(f"files: {name!r} does not stay inside the folder")


def _content(name: str, entry: Any) -> tuple[bytes, int]:
    """The first bytes of a file and its whole length."""
    if not isinstance(entry, dict):
        raise CaseError(f"files: {name}: must be a mapping")
    if entry.keys() == {"size"}:
        return b"", _natural(entry["size"], f"files: {name}: size")
    if name.endswith(".safetensors"):
        known_keys(entry, {"tensors"}, f"files: {name}")
        return safetensors_header(tensors_of(name, entry))
    if name.endswith(".gguf"):
        known_keys(entry, {"metadata", "tensors"}, f"files: {name}")
        return gguf_header(entry.get("metadata", {}), tensors_of(name, entry))
    raise CaseError(f"files: {name}: the runner writes .json, .safetensors, .gguf and {{size: N}}")


def _write_sparse(path: Path, header: bytes, size: int) -> None:
    with path.open("wb") as file:
        file.write(header)
        file.truncate(size)


def _filled(name: str, entry: Any, files: Document) -> Any:
    """The document itself; an index says which file beside it holds which tensor."""
    if not isinstance(entry, dict) or entry.get("weight_map") != "from-files":
        return entry
    folder = PurePosixPath(name).parent
    shards = [file for file in files if file.endswith(".safetensors") and PurePosixPath(file).parent == folder]
    weight_map = {tensor: PurePosixPath(file).name for file in shards for tensor in tensors_of(file, files[file])}
    return {**entry, "weight_map": weight_map}


def tensors_of(name: str, entry: Document) -> Tensors:
    """Every tensor of an entry, with the ranges in its names written out."""
    tensors: Tensors = {}
    for pattern, shape in entry.get("tensors", {}).items():
        for tensor in expanded(pattern):
            if tensor in tensors:
                raise CaseError(f"files: {name}: two entries name the tensor {tensor}")
            tensors[tensor] = _typed(f"files: {name}: {pattern}", shape)
    return tensors


def expanded(pattern: str) -> list[str]:
    """`a.{0..1}.b` as a.0.b and a.1.b; several ranges as all combinations, the last one fastest."""
    pieces = _RANGE.split(pattern)
    texts, starts, ends = pieces[0::3], pieces[1::3], pieces[2::3]
    ranges = [range(int(start), int(end) + 1) for start, end in zip(starts, ends, strict=True)]
    if any(not numbers for numbers in ranges):
        raise CaseError(f"files: {pattern}: a range ends before it begins")
    return [
        "".join(f"{text}{number}" for text, number in zip(texts, (*numbers, ""), strict=True))
        for numbers in product(*ranges)
    ]


def _typed(place: str, entry: Any) -> tuple[str, list[int]]:
    if not isinstance(entry, list) or len(entry) != 2 or not isinstance(entry[1], list):
        raise CaseError(f"{place}: must be [type, shape]")
    return str(entry[0]), [_natural(size, place) for size in entry[1]]


def _natural(value: Any, place: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise CaseError(f"{place}: {value!r} is no size")
    return value
