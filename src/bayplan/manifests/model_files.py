"""Opens the files of a model for sizing: headers and configs alone, never the weights themselves."""

from __future__ import annotations

import os
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
from bayplan.sizing.config_json import read_config
from bayplan.sizing.facts import Files, ModelFiles, Traits
from bayplan.sizing.gguf import read_gguf
from bayplan.sizing.gguf_traits import gguf_traits
from bayplan.sizing.parameters import config_bits, config_weights
from bayplan.sizing.safetensors import LENGTH_BYTES, header_length, tensor_bytes
from bayplan.sizing.weight_files import CONFIG, INDEX, split_parts, weight_files

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import BinaryIO

    from bayplan.cluster.model import ModelSpec
    from bayplan.sizing.gguf import GgufHeader

MOST_FILES = 10_000
CONFIG_LIMITS = Limits()
INDEX_LIMITS = Limits(bytes_per_document=16 * MIB, nodes=500_000)

_DIFFUSERS = "model_index.json"


def read_model_files(spec: ModelSpec) -> ModelFiles | None:
    """What the files of a model, its adapters and its draft say; None where it names none.

    A path that is not there is refused, unless the weights are given: then the numbers count, with a warning. A model
    without files is looked up by its name in the catalogue, unless its own numbers are enough.
    """
    paths = [part.path for part in (*spec.loras, spec.draft) if part is not None and part.path is not None]
    model, warnings = _named(spec)
    if spec.path is None and not paths and model is None and not warnings:
        return None
    if spec.path is not None:
        if spec.weights_mib is not None and not os.path.lexists(spec.path):
            warnings = (f"{clip(spec.path)} is not on this machine: the numbers that were given count alone",)
        else:
            model = read_files(Path(spec.path))
    return ModelFiles(model, {path: read_files(Path(path)) for path in paths}, warnings)


def _named(spec: ModelSpec) -> tuple[Files | None, tuple[str, ...]]:
    """What the catalogue says of a model that is only named, and what to do where it says nothing."""
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
    step = "name a folder, a .safetensors, a .gguf or a config.json"
    raise refusal(str(path), "this is no file of a model", next=step)


def _read_folder(folder: Path) -> Files:
    names = _names(folder)
    try:
        found = weight_files(names)
    except InputError as error:
        raise refusal(str(folder), error.message, next=error.next) from None
    if found is None:
        if _DIFFUSERS in names:
            return _read_diffusers(folder, names)
        nothing = () if CONFIG in names or INDEX in names else (f"{folder} holds neither weights nor a {CONFIG}",)
        return _with_index(_with_config(Files(warnings=nothing), folder / CONFIG), folder, names)
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
        files = Files(total_bytes, "total of the index") if total_bytes is not None else Files()
        message = f"{len(missing)} of {len(wanted)} shards are missing, {missing[0]} first"
        return _with_config(replace(files, warnings=(message,)), folder / CONFIG)
    sizes: dict[str, int] = {}
    for name in wanted:
        for tensor, size_bytes in _tensors(folder / name).items():
            if weight_map.get(tensor, name) == name:
                sizes.setdefault(tensor, size_bytes)
    source = f"safetensors headers of {_counted(len(wanted), 'file')}"
    return _with_config(Files(sum(sizes.values()) or None, source), folder / CONFIG)


def _tensors(path: Path) -> dict[str, int]:
    with _told(path), _opened(path) as (stream, size_bytes):
        length = header_length(stream.read(LENGTH_BYTES), size_bytes)
        return tensor_bytes(stream.read(length), size_bytes - LENGTH_BYTES - length)


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
    return replace(files, weights_bytes=total_bytes, weights_source="total of the index", warnings=(warning,))


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
    return Files(total or None, source, traits, "GGUF metadata", tuple(warnings))


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
    return Files(sum(sizes), f"size of {_counted(len(names), names[0].rpartition('.')[2] + ' file')}")


def _read_diffusers(folder: Path, names: Sequence[str]) -> Files:
    """The sum of its parts; they draw pictures step by step and keep no cache."""
    parts = _json(folder / _DIFFUSERS, CONFIG_LIMITS)
    found = [
        read_files(folder / name)
        for name in sorted(parts if isinstance(parts, dict) else ())
        if name in names and (folder / name).is_dir()
    ]
    sizes = [part.weights_bytes for part in found if part.weights_bytes is not None]
    kind = str(parts.get("_class_name", "diffusers"))[:80] if isinstance(parts, dict) else "diffusers"
    total = sum(sizes) if sizes else None
    return Files(total, f"weights of {_counted(len(sizes), 'part')}", Traits(kind=kind, attention=()), _DIFFUSERS)


def _with_config(files: Files, config: Path) -> Files:
    """With what config.json says; with its count of weights too, where no file told them."""
    if not config.exists():
        return files
    document = _json(config, CONFIG_LIMITS)
    with _told(config):
        return _with_document(files, document, config.name)


def _with_document(files: Files, document: Any, source: str) -> Files:
    traits, bits = read_config(document), config_bits(document)
    counted = config_weights(document, source) if files.weights_bytes is None else None
    if counted is not None:
        files = replace(files, weights_bytes=counted[0], weights_source=counted[1])
    return replace(files, traits=traits, traits_source=source, weight_bits=bits)


def _json(path: Path, limits: Limits) -> Any:
    with _told(path), _opened(path) as (stream, size_bytes):
        if size_bytes > limits.bytes_per_document:
            raise too_large(str(path), size_bytes, limits.bytes_per_document)
        return read_json(stream.read(limits.bytes_per_document + 1), str(path), limits)


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
    """The file and its size; what is no file is refused before it is opened, for a pipe would never answer."""
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
    """Every error of the block names the file."""
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
