"""Models as GPUStack deploys them."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from bayplan.cluster.model import ModelSpec
from bayplan.cluster.selector import Selector
from bayplan.cluster.workload import Backend, GpuRequest, Shape, Workload, WorkloadId
from bayplan.framework.errors import InputError
from bayplan.manifests.model_catalogue import catalogued
from bayplan.manifests.native.shape import backend_name, checked_backend, gpu_id
from bayplan.manifests.paths import split
from bayplan.manifests.values import count, flag, name, positive, text, word_of

if TYPE_CHECKING:
    from bayplan.cluster.gpu import GpuId
    from bayplan.manifests.fields import Fields

_STRATEGIES = {"binpack": "pack", "spread": "spread"}
_CUSTOM = "custom"
_OTHER_BACKENDS = ("ascend-mindie", "mindie", "vox-box", "voxbox", "max")
_SOURCES = {
    "local_path": "local_path",
    "huggingface": "huggingface_repo_id",
    "model_scope": "model_scope_model_id",
    "ollama_library": "ollama_library_model_name",
}
_PUBLISHED = ("huggingface", "model_scope")
_FILES = ("huggingface_filename", "model_scope_file_path")
_GGUF = ".gguf"
_MORE_MEMORY = {"extended_kv_cache": "ram", "speculative_config": "model.draft"}

# What GPUStack itself acts on, or says about a model that it has deployed.
_NOT_ABOUT_PLACEMENT = (
    "id created_at updated_at deleted_at description meta categories ready_replicas restart_on_error distributable"
    " env image_name run_command cluster_id access_policy generic_proxy"
    " embedding_only image_only reranker speech_to_text text_to_speech"
)


def collect_gpustack_model(fields: Fields) -> Workload:
    """A model as far as it can be read; absent fields have the defaults of a native Workload."""
    fields.leave(*_NOT_ABOUT_PLACEMENT.split())
    own_name = fields.need("name", name, "?")
    model = _model(fields, own_name)
    gpu_ids, per_replica = _gpu_selector(fields)
    strategy = fields.read("placement_strategy", word_of(tuple(_STRATEGIES)), "binpack")
    unknown = _more_memory(fields)
    workload = fields.build(
        Workload,
        id=WorkloadId(own_name),
        replicas=fields.read("replicas", count, 1),
        shape=Shape(
            model=model,
            backend=_backend(fields, model),
            gpus=None if per_replica is None else GpuRequest(count=per_replica),
            selector=Selector.of_labels(fields.mapping("worker_selector", text)),
            gpu_ids=gpu_ids,
            strategy=_STRATEGIES[strategy],
            cpu_offload=fields.read("cpu_offloading", flag, False),
            distributed=fields.read("distributed_inference_across_workers", flag, False),
            unknown=unknown,
        ),
    )
    fields.finish()
    return workload or Workload(WorkloadId(own_name))


def _model(fields: Fields, own_name: str) -> ModelSpec:
    """The model: files on disk are read for its size; a model of a hub is looked up in the catalogue by name."""
    source = fields.need("source", word_of(tuple(_SOURCES)), "local_path")
    values = {each: fields.read(key, name) for each, key in _SOURCES.items()}
    one_file = [fields.read(key, name) for key in _FILES]
    if source == "local_path":
        return ModelSpec(name=own_name, path=fields.need("local_path", name, "?"))
    named = values[source]
    if source in _PUBLISHED and named is not None and not any(one_file) and catalogued(named) is not None:
        return ModelSpec(name=named)
    message = f"the size of a model from {source} is not known before it is downloaded"
    fields.warn(message, "source", next="write source: local_path with its folder, or a Workload with model.weights")
    return ModelSpec(name=own_name if named is None or catalogued(named) else named)


def _gpu_selector(fields: Fields) -> tuple[tuple[GpuId, ...], int | None]:
    chosen = fields.child("gpu_selector")
    gpu_ids = chosen.each("gpu_ids", gpu_id)
    per_replica = chosen.read("gpus_per_replica", positive)
    chosen.finish()
    return gpu_ids, per_replica


def _backend(fields: Fields, model: ModelSpec) -> Backend | None:
    """The engine; where none is named, GPUStack chooses by the files, and only their name is known here."""
    words = fields.each("backend_parameters", text)
    version = fields.read("backend_version", text)
    args, origins = _split_words(words)
    written = fields.read("backend", name)
    if written is None:
        engine = "llama-cpp" if (model.path or "").lower().endswith(_GGUF) else "vllm"
        fields.warn(f"no backend is named; {engine} is assumed", "backend", next="name one")
    elif written.casefold() in _OTHER_BACKENDS:
        engine = _CUSTOM
        fields.warn(f"{written!r} is treated as a custom backend, whose flags are not read", "backend")
    else:
        engine = fields.read("backend", backend_name, _CUSTOM)
    try:
        return checked_backend(engine, args, version)
    except InputError as error:
        fields.add(error.message, *_origin(error.place, origins), next=error.next)
        return None


def _split_words(words: tuple[str, ...]) -> tuple[tuple[str, ...], list[int]]:
    """The words of all entries (`--flag value` in one entry becomes two), and the entry of each word."""
    args: list[str] = []
    origins: list[int] = []
    for number, each in enumerate(words):
        try:
            parts = shlex.split(each) if each.startswith("-") else [each]
        except ValueError:
            parts = [each]
        args += parts
        origins += [number] * len(parts)
    return tuple(args), origins


def _origin(place: str, origins: list[int]) -> list[str | int]:
    last = split(place)[-1] if place else 0
    entry = [origins[last]] if isinstance(last, int) and last < len(origins) else []
    return ["backend_parameters", *entry]


def _more_memory(fields: Fields) -> str:
    """The reason why the need is unknown: features that take more memory without stating how much; empty if none."""
    keys = [key for key in _MORE_MEMORY if fields.child(key).read("enabled", flag, False)]
    return "; ".join(f"what {key} takes is not known; write a Workload with {_MORE_MEMORY[key]}" for key in keys)
