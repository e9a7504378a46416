"""The weights of a model from the headers of its files: every tensor as it is stored, or as an engine holds it."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

from bayplan.sizing.facts import Held, Weights
from bayplan.sizing.parameters import MXFP4_PADDING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.sizing.config_json import Config
    from bayplan.sizing.safetensors import Tensor

_FLOAT_BITS = {"F64": 64, "F32": 32, "F16": 16, "BF16": 16}
_TEXT_LAYER = re.compile(
    r"(?:(?:model|language_model|text_model|thinker|llm|transformer)\.)*+(?:layers|h)\.([0-9]{1,5})\."
)
_DRAFTING = re.compile(r"(?:model\.)?mtp(?:_block|_layers)?\.")
_TOWER = re.compile(r"(?:^|\.)(?:visual|vision_tower|vision_model|vision_encoder|vit|vision)\.")
_OUTPUT, _INPUTS = "lm_head.weight", ("embed_tokens.weight", "wte.weight", "word_embeddings.weight")


def tensor_weights(tensors: Mapping[str, Tensor], config: Config | None, *, pads: bool = False) -> Weights | None:
    """The weights of these tensors; None where there are none. `pads`: vLLM pads the experts."""
    if not tensors:
        return None
    layers = None if config is None else config.layers
    used = {name: tensor for name, tensor in tensors.items() if not _drafts(name, layers)}
    tied = _stored_twice(used) if config is not None and config.ties_words else None
    used = {name: tensor for name, tensor in used.items() if name != tied}
    experts = sum(tensor.size_bytes for name, tensor in used.items() if ".experts." in name) if pads else 0
    return Weights(_held(tensors, None), _held(used, 16), _held(used, 32), int(experts * MXFP4_PADDING))


def _held(tensors: Mapping[str, Tensor], bits: int | None) -> Held:
    total = tower = 0
    for name, tensor in tensors.items():
        size_bytes = tensor.size_bytes if bits is None else _converted(name, tensor, bits)
        total += size_bytes
        tower += size_bytes if _TOWER.search(name) else 0
    return Held(total, tower)


def _converted(name: str, tensor: Tensor, bits: int) -> int:
    """Bytes where matrices that are no scales are held in this many bits; 16 bits never widen to 16."""
    stored = _FLOAT_BITS.get(tensor.dtype)
    if stored is None or not tensor.is_matrix or "scale" in name:
        return tensor.size_bytes
    return int(Fraction(tensor.size_bytes * bits, stored))


def _drafts(name: str, layers: int | None) -> bool:
    """Whether the tensor belongs to draft layers (MTP), which are numbered after the last layer of the model."""
    if _DRAFTING.match(name):
        return True
    found = _TEXT_LAYER.match(name)
    return layers is not None and found is not None and int(found[1]) >= layers


def _stored_twice(tensors: Mapping[str, Tensor]) -> str | None:
    """The output matrix where input and output words share one matrix and both copies are stored."""
    output = next((name for name in tensors if name.endswith(_OUTPUT)), None)
    return output if output is not None and any(name.endswith(_INPUTS) for name in tensors) else None
