"""Reads the traits of a model from the metadata of a GGUF file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.framework.errors import InputError
from bayplan.sizing.facts import KvLayers, Traits
from bayplan.sizing.families import names
from bayplan.sizing.layer_kinds import MOST_LAYERS

if TYPE_CHECKING:
    from bayplan.sizing.facts import Attention
    from bayplan.sizing.gguf import GgufHeader

_MOST = 2**31 - 1

DECODERS = names(
    """
    arcee baichuan bitnet bloom chameleon chatglm codeshell cohere2 command-r dbrx deci deepseek deepseek2 dots1
    ernie4_5 ernie4_5-moe exaone exaone4 falcon gemma gemma2 gemma3 glm4 glm4moe gpt-oss gpt2 gptneox granite granitemoe
    grok hunyuan-dense hunyuan-moe internlm2 jais llama llama4 minicpm minicpm3 minimax-m2 mistral3 mpt nemotron olmo
    olmo2 olmoe openelm orion phi2 phi3 phimoe plamo qwen qwen2 qwen2moe qwen2vl qwen3 qwen3moe qwen3vl qwen3vlmoe
    refact seed_oss smollm3 stablelm starcoder starcoder2 xverse
    """
)
"""Architectures of llama.cpp whose layers cache keys and values; others are unknown."""

ENCODERS = names("bert jina-bert-v2 jina-bert-v3 modern-bert nomic-bert nomic-bert-moe neo-bert clip")
STATEFUL = names("mamba mamba2 rwkv6 rwkv7 arwkv7 rwkv6qwen2")
WINDOW_PATTERNS = {"gemma2": 2, "gemma3": 6, "cohere2": 4, "gpt-oss": 2, "exaone4": 4, "llama4": 4}
"""Every n-th layer looks all the way back."""


def gguf_traits(header: GgufHeader) -> Traits:
    """What the metadata says of the architecture that it names."""
    metadata = _Metadata(header)
    kind = metadata.kind
    heads = metadata.most("attention.head_count")
    latent = metadata.count("attention.kv_lora_rank")
    experts = metadata.count("expert_count") or 0
    return Traits(
        kind=kind,
        heads=heads,
        kv_heads=1 if latent else metadata.least("attention.head_count_kv") or heads,
        layers=metadata.count("block_count", most=MOST_LAYERS),
        vocab_size=metadata.count("vocab_size") or header.lengths.get("tokenizer.ggml.tokens"),
        hidden_size=metadata.count("embedding_length"),
        head_dim=metadata.head_dim(heads),
        intermediate_size=metadata.count("expert_feed_forward_length") or metadata.most("feed_forward_length"),
        experts_per_token=(metadata.count("expert_used_count") or min(experts, 8)) if experts > 1 else 0,
        max_context=metadata.count("context_length"),
        is_mla=latent is not None,
        is_encoder=kind in ENCODERS,
        attention=_attention(metadata, heads, latent),
    )


class _Metadata:
    """Numbers under the name of the architecture; some are one for all layers, some a list with one for each."""

    __slots__ = ("_found", "kind")

    def __init__(self, header: GgufHeader) -> None:
        self._found = header.metadata
        self.kind = str(header.metadata.get("general.architecture", ""))

    def count(self, name: str, *, most: int = _MOST) -> int | None:
        """A whole number above 0."""
        key = f"{self.kind}.{name}"
        found = self._found.get(key)
        if found is None or isinstance(found, tuple):
            return None
        if isinstance(found, bool) or not isinstance(found, int) or not 0 <= found <= most:
            step = f"write a whole number from 0 to {most:,}"
            raise InputError(f"{str(found)[:48]!r} is no usable number", place=key, next=step)
        return found or None

    def listed(self, name: str) -> tuple[int, ...] | None:
        found = self._found.get(f"{self.kind}.{name}")
        return found if isinstance(found, tuple) else None

    def most(self, name: str) -> int | None:
        """The largest of the layers."""
        return self.count(name) or max(self.listed(name) or (), default=None)

    def least(self, name: str) -> int | None:
        """The smallest of the layers that have any."""
        return self.count(name) or min((each for each in self.listed(name) or () if each > 0), default=None)

    def head_dim(self, heads: int | None) -> int | None:
        hidden = self.count("embedding_length")
        return self.count("attention.key_length") or (hidden // heads if hidden and heads else None)


def _attention(metadata: _Metadata, heads: int | None, latent: int | None) -> Attention | None:
    if metadata.kind in ENCODERS or metadata.kind in STATEFUL:
        return ()
    layers = metadata.count("block_count", most=MOST_LAYERS)
    if metadata.kind not in DECODERS or layers is None:
        return None
    if latent is not None:
        return (KvLayers(layers, latent + (metadata.count("rope.dimension_count") or 0)),)
    width = metadata.head_dim(heads)
    kv_heads = metadata.listed("attention.head_count_kv") or (
        (metadata.count("attention.head_count_kv") or heads or 0,) * layers
    )
    if width is None or len(kv_heads) != layers or not any(kv_heads):
        return None
    both = width + (metadata.count("attention.value_length") or width)
    return tuple(_windowed(metadata, layers, [max(0, each) * both for each in kv_heads]))


def _windowed(metadata: _Metadata, layers: int, values: list[int]) -> list[KvLayers]:
    window = metadata.count("attention.sliding_window")
    step = WINDOW_PATTERNS.get(metadata.kind)
    counted: dict[tuple[int, int | None], int] = {}
    for number in range(layers):
        full = window is None or (step is not None and number % step == step - 1)
        key = (values[number], None if full else window)
        counted[key] = counted.get(key, 0) + 1
    return [KvLayers(count, each, reach) for (each, reach), count in counted.items()]
