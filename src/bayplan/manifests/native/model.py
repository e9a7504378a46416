"""The model of a workload: what the document states about its size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cluster.model import UNKNOWN_ARCHITECTURE, Architecture, ModelPart, ModelSpec
from bayplan.framework.errors import InputError
from bayplan.manifests.values import claim_mib, count, name, positive
from bayplan.sizing.kv_cache import value_bytes

if TYPE_CHECKING:
    from bayplan.manifests.fields import Fields

ARCHITECTURE = {
    "heads": "heads",
    "kvHeads": "kv_heads",
    "layers": "layers",
    "vocabSize": "vocab_size",
    "hiddenSize": "hidden_size",
    "headDim": "head_dim",
}
REST = "rest"
_SIZE_BEGINS = frozenset("0123456789+-")


def read_model(shape: Fields) -> ModelSpec | None:
    """The model of a shape; None where it names none."""
    fields = shape.child("model")
    spec = fields.build(
        ModelSpec,
        name=fields.read("name", name),
        path=fields.read("path", name),
        weights_mib=fields.read("weights", claim_mib),
        context=fields.read("context", positive),
        concurrency=fields.read("concurrency", positive),
        kv_dtype=fields.read("kvDtype", _kv_dtype),
        kv_rest=_takes_rest(fields),
        kv_cache_mib=None if _takes_rest(fields) else fields.read("kvCache", claim_mib),
        overhead_mib=fields.read("overhead", claim_mib),
        loras=fields.each("loras", part),
        draft=fields.read("draft", part),
        architecture=read_architecture(fields),
    )
    fields.finish()
    return spec


def _takes_rest(model: Fields) -> bool:
    if model.raw("kvCache") != REST:
        return False
    model.ignore("kvCache")
    return True


def read_architecture(model: Fields) -> Architecture:
    """The numbers by which a model may be divided."""
    fields = model.child("architecture")
    values = {field: fields.read(key, positive) for key, field in ARCHITECTURE.items()}
    found = fields.build(Architecture, **values, vision_heads=fields.read("visionHeads", count) or None)
    fields.finish()
    return found or UNKNOWN_ARCHITECTURE


def part(value: object) -> ModelPart:
    """A LoRA or a draft model: a text that begins like a number is a size, any other text is a path."""
    if not isinstance(value, str) or value[:1] in _SIZE_BEGINS:
        return _sized(value)
    return ModelPart(path=name(value))


def _sized(value: object) -> ModelPart:
    try:
        return ModelPart(size_mib=claim_mib(value))
    except InputError as error:
        if isinstance(value, str) and "/" in value:
            return ModelPart(path=value)
        raise InputError(error.message, next="write a size such as 512Mi, or a path such as ./adapter") from None


def _kv_dtype(value: object) -> str:
    dtype = name(value)
    value_bytes(dtype, "")
    return dtype
