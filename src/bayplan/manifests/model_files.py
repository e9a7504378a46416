"""Opens the files of a model for sizing: only headers and configs, never the weights themselves."""

from __future__ import annotations

import os
import re
import stat
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayplan.framework.errors import InputError
from bayplan.manifests.json_text import read_json
from bayplan.manifests.limits import MIB, Limits
from bayplan.manifests.model_catalogue import catalogued, nearest_name
from bayplan.manifests.paths import clip
from bayplan.manifests.refusals import refusal, too_large
from bayplan.sizing.config_json import Config
from bayplan.sizing.config_traits import count_weights, traits_of
from bayplan.sizing.facts import Files, ModelFiles, Traits, Weights
from bayplan.sizing.gguf import read_gguf
from bayplan.sizing.gguf_traits import gguf_traits
from bayplan.sizing.quantization import read_packing
from bayplan.sizing.safetensors import LENGTH_BYTES, header_length, read_tensors
from bayplan.sizing.tensor_weights import tensor_weights
from bayplan.sizing.weight_files import CONFIG, INDEX, QUANT_CONFIG, split_parts, weight_files

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import BinaryIO

    from bayplan.cluster.model import ModelSpec
    from bayplan.sizing.gguf import GgufHeader
    from bayplan.sizing.safetensors import Tensor

MOST_FILES = 10_000  # a folder of shards has hundreds; a folder with more is not a model
CONFIG_LIMITS = Limits(bytes_per_document=64 * MIB, nodes=2_000_000)
"""Larger than usual: the list of modules that a quantization leaves out can be longer than all the rest."""

# an index names every tensor of every shard
INDEX_LIMITS = Limits(bytes_per_document=16 * MIB, nodes=500_000)

_DIFFUSERS = "model_index.json"
_WIDE_BITS = 32  # weights that engines load with 16 bits
_NOT_FINITE = re.compile(rb'"(?:[^"\\]++|\\.)*+"|-?\b(?:Infinity|NaN)\b')


def read_model_files(spec: ModelSpec) -> ModelFiles | None:
    """The facts of the files of a model, its adapters and its draft; None where it names none.

    Files that cannot be read are refused, unless the weights are given: then the numbers count, with a warning. A
    model without files is looked up by its name in the catalogue, unless its own numbers are enough.
    """
    paths = [part.path for part in (*spec.loras, spec.draft) if part is not None and part.path is not None]
    model, warnings = _named(spec)
    if spec.path is None and not paths and model is None and not warnings:
        return None
    if spec.path is not None:
        model, warnings = _model(spec.path, given=spec.weights_mib is not None)
    return ModelFiles(model, {path: read_files(Path(path)) for path in paths}, warnings)


def _model(path: str, *, given: bool) -> tuple[Files | None, tuple[str, ...]]:
    """The facts of the files; a warning where they cannot be read and the weights are `given` as a number."""
    if given and not os.path.lexists(path):
        return None, (f"{clip(path)} is not on this machine: only the given numbers count",)
    try:
        return read_files(Path(path)), ()
    except InputError as error:
        if not given:
            raise
        return None, (f"{error.place}: {error.message}: only the given numbers count",)


def _named(spec: ModelSpec) -> tuple[Files | None, tuple[str, ...]]:
    """The catalogue entry of a model that is only named; a warning with the next step where there is none."""
    enough = spec.weights_mib is not None and (spec.kv_cache_mib is not None or spec.architecture.layers is not None)
    if spec.path is not None or spec.name is None or enough:
        return None, ()
    found = catalogued(spec.name)
    if found is not None:
        return _with_document(Files(), found.config, f"catalogue entry {found.name}"), ()
    near = nearest_name(spec.name)
    hint = f" (did you mean {near}?)" if near else ""
    step = "give model.path or model.weights"
    return None, (f"model {clip(spec.name)} is not in the catalogue of published models{hint}; {step}",)


def read_files(path: Path) -> Files:
    """A folder as Hugging Face lays it out, or one file; InputError with the file where one cannot be read."""
    with _told(path):
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            return _read_folder(path)
        if path.suffix == ".gguf":
            return _read_gguf(path.parent, split_parts(path.name))
        if path.suffix == ".safetensors":
            return _read_safetensors(path.parent, (path.name,))
        if path.suffix == ".json":
            return _with_config(Files(), path)
        if path.suffix in (".bin", ".pt", ".pth", ".ckpt"):
            return _with_config(_read_pickled(path.parent, (path.name,)), path.parent / CONFIG)
    step = "name a folder, or a .safetensors, .gguf or config.json file"
    raise refusal(str(path), "this is not a file of a model", next=step)


def _read_folder(folder: Path) -> Files:
    names = _names(folder)
    try:
        found = weight_files(names)
    except InputError as error:
        raise refusal(str(folder), error.message, next=error.next) from None
    if found is None:
        if _DIFFUSERS in names:
            return _read_diffusers(folder, names)
        if CONFIG not in names and INDEX not in names:
            step = "name the folder of a model, or give the size of its weights"
            raise refusal(str(folder), f"this folder has neither weights nor a {CONFIG}", next=step)
        return _with_index(_with_config(Files(), folder / CONFIG), folder, names)
    if found.format == "gguf":
        return _read_gguf(folder, found.names)
    if found.format == "pickled":
        return _with_config(_read_pickled(folder, found.names), folder / CONFIG)
    return _read_safetensors(folder, found.names, index=INDEX in names)


def _names(folder: Path) -> list[str]:
    names: list[str] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            names.append(entry.name)
            if len(names) > MOST_FILES:
                step = "name the folder of one model"
                raise refusal(str(folder), f"more than {MOST_FILES:,} files are here", next=step)
    return names


def _read_safetensors(folder: Path, names: Sequence[str], *, index: bool = False) -> Files:
    """Every tensor once, from the shard that the index names for it."""
    weight_map, total_bytes = _index(folder) if index else ({}, None)
    wanted = sorted(set(weight_map.values())) or list(names)
    missing = [name for name in wanted if not os.path.lexists(folder / name)]
    if missing:
        files = Files() if total_bytes is None else Files(Weights.of(total_bytes), "total of the index")
        message = f"{len(missing)} of {len(wanted)} shards are missing, {missing[0]} first"
        return _with_config(replace(files, warnings=(message,)), folder / CONFIG)
    tensors: dict[str, Tensor] = {}
    for name in wanted:
        for named, tensor in _tensors(folder / name).items():
            if weight_map.get(named, name) == name:
                tensors.setdefault(named, tensor)
    source = f"safetensors headers of {_counted(len(wanted), 'file')}"
    return _with_config(Files(weights_source=source), folder / CONFIG, tensors)


def _tensors(path: Path) -> dict[str, Tensor]:
    with _told(path), _opened(path) as (stream, size_bytes):
        length = header_length(stream.read(LENGTH_BYTES), size_bytes)
        return read_tensors(stream.read(length), size_bytes - LENGTH_BYTES - length)


def _index(folder: Path) -> tuple[dict[str, str], int | None]:
    """Which shard holds each tensor, and how many bytes they are together."""
    path = folder / INDEX
    document = _json(path, INDEX_LIMITS)
    weight_map = document.get("weight_map") if isinstance(document, dict) else None
    if not isinstance(weight_map, dict) or not all(_is_name(name) for name in weight_map.values()):
        problem = "it maps no tensors to files of this folder"
        raise refusal(str(path), problem, path=("weight_map",), next="check that the file is whole")
    metadata = document.get("metadata")
    total = metadata.get("total_size") if isinstance(metadata, dict) else None
    return weight_map, total if type(total) is int and 0 < total < 2**63 else None


def _is_name(name: object) -> bool:
    return isinstance(name, str) and name.endswith(".safetensors") and "/" not in name and "\0" not in name


def _with_index(files: Files, folder: Path, names: Sequence[str]) -> Files:
    """Weights of a folder that holds the index and none of the shards."""
    if INDEX not in names:
        return files
    _, total_bytes = _index(folder)
    if total_bytes is None:
        return files
    warning = f"none of the shards of {INDEX} is here"
    return replace(files, weights=Weights.of(total_bytes), weights_source="total of the index", warnings=(warning,))


def _read_gguf(folder: Path, names: Sequence[str]) -> Files:
    """All parts of a split model; the first part describes it."""
    missing = [name for name in names if not (folder / name).exists()]
    if missing:
        problem = f"{len(missing)} of {len(names)} parts are missing, {missing[0]} first"
        raise refusal(str(folder), problem, next="finish the download, or give model.weights")
    total, warnings = 0, list[str]()
    traits: Traits | None = None
    for name in names:
        path = folder / name
        with _told(path), _opened(path) as (stream, size_bytes):
            header = read_gguf(_Source(stream, size_bytes))
            total += _gguf_bytes(header, size_bytes, name, warnings)
            traits = traits or gguf_traits(header)
    source = f"GGUF headers of {_counted(len(names), 'file')}"
    return Files(Weights.of(total) if total else None, source, traits, "GGUF metadata", tuple(warnings))


def _gguf_bytes(header: GgufHeader, size_bytes: int, name: str, warnings: list[str]) -> int:
    if header.odd:
        kinds = ", ".join(map(str, sorted(header.odd)))
        warnings.append(f"{name} holds tensors of the unknown kind {kinds}: the size of the file counts")
        return max(0, size_bytes - header.data_begin)
    if header.data_end > size_bytes:
        warnings.append(f"{name} is shorter than its tensors by {header.data_end - size_bytes:,} bytes: is it whole?")
    return sum(header.tensors.values())


def _read_pickled(folder: Path, names: Sequence[str]) -> Files:
    sizes = [_regular_size(folder / name) for name in names]
    return Files(Weights.of(sum(sizes)), f"size of {_counted(len(names), names[0].rpartition('.')[2] + ' file')}")


def _read_diffusers(folder: Path, names: Sequence[str]) -> Files:
    """The sum of the parts of a diffusion model, which has no KV cache."""
    parts = _json(folder / _DIFFUSERS, CONFIG_LIMITS)
    found = [
        read_files(folder / name)
        for name in sorted(parts if isinstance(parts, dict) else ())
        if name in names and (folder / name).is_dir()
    ]
    sizes = [part.weights.stored.total_bytes for part in found if part.weights is not None]
    kind = str(parts.get("_class_name", "diffusers"))[:80] if isinstance(parts, dict) else "diffusers"
    total = Weights.of(sum(sizes)) if sizes else None
    return Files(total, f"weights of {_counted(len(sizes), 'part')}", Traits(kind=kind, attention=()), _DIFFUSERS)


def _with_config(files: Files, config: Path, tensors: Mapping[str, Tensor] | None = None) -> Files:
    """The facts with those of config.json added; weights are counted from it only where no file states them."""
    if not config.exists():
        return replace(files, weights=tensor_weights(tensors, None)) if tensors else files
    document = _json(config, CONFIG_LIMITS)
    packing = config.with_name(QUANT_CONFIG)
    quant_config = _json(packing, CONFIG_LIMITS) if packing.exists() else None
    with _told(config):
        return _with_document(files, document, config.name, quant_config, tensors)


def _with_document(
    files: Files,
    document: Any,
    source: str,
    quant_config: Any = None,
    tensors: Mapping[str, Tensor] | None = None,
) -> Files:
    config = Config.of(document)
    packing = read_packing(config, quant_config)
    files = replace(
        files,
        traits=traits_of(config, quant_config),
        traits_source=source,
        weight_bits=None if packing is None else packing.matrix,
    )
    if tensors:
        pads = packing is not None and packing.pads
        return replace(files, weights=tensor_weights(tensors, config, pads=pads))
    if files.weights is not None:
        wide = packing is not None and packing.is_plain and packing.plain == _WIDE_BITS
        return replace(files, weights=files.weights.narrowed()) if wide else files
    counted = count_weights(config, quant_config, source)
    if counted.weights is None:
        problem = () if counted.problem is None else (f"{counted.problem}: the weights are unknown",)
        return replace(files, weights_source="", warnings=(*files.warnings, *problem))
    return replace(files, weights=counted.weights, weights_source=counted.source)


def _json(path: Path, limits: Limits) -> Any:
    with _told(path), _opened(path) as (stream, size_bytes):
        if size_bytes > limits.bytes_per_document:
            raise too_large(str(path), size_bytes, limits.bytes_per_document)
        text = stream.read(min(size_bytes, limits.bytes_per_document) + 1)
        return read_json(_finite(text), str(path), limits)


def _finite(text: bytes) -> bytes:
    """Replace NaN and Infinity, which Python writes and JSON does not know, by null."""
    if b"NaN" not in text and b"Infinity" not in text:
        return text
    return _NOT_FINITE.sub(lambda found: found[0] if found[0][:1] == b'"' else b"null", text)


class _Source:
    """An open file as the reader of GGUF asks for it."""

    def __init__(self, stream: BinaryIO, size_bytes: int) -> None:
        self._stream = stream
        self._size_bytes = size_bytes

    @property
    def size_bytes(self) -> int:
        return self._size_bytes

    def read(self, offset: int, length: int) -> bytes:
        self._stream.seek(offset)
        return self._stream.read(length)


@contextmanager
def _opened(path: Path) -> Iterator[tuple[BinaryIO, int]]:
    """The open file and its size. Only regular files are opened, because reading a pipe could block for ever."""
    size_bytes = _regular_size(path)
    with path.open("rb") as stream:
        yield stream, size_bytes


def _regular_size(path: Path) -> int:
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise refusal(str(path), "this is no regular file", next="name the files of a model")
    return status.st_size


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Add the file to the place of every error of the block."""
    source = str(path)
    try:
        yield
    except InputError as error:
        known = error.place.startswith((source, str(path.parent)))
        place = error.place if known else f"{source}: {error.place}" if error.place else source
        raise InputError(error.message, place=place, next=error.next) from None
    except FileNotFoundError as error:
        missing = str(error.filename or path)
        raise refusal(
            missing, "there is no such file or folder", next="check the path, or give model.weights"
        ) from None
    except PermissionError as error:
        raise refusal(str(error.filename or path), "this may not be read", next="check permissions") from None
    except (OSError, ValueError) as error:
        raise refusal(source, f"it cannot be read: {clip(str(error))}", next="check the path") from None


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
