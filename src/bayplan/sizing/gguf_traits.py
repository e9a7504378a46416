"""Reads the traits of a model from the metadata of a GGUF file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.framework.errors import InputError
from bayplan.sizing.config_json import MOST_LAYERS
from bayplan.sizing.facts import KvLayers, StateLayers, Traits
from bayplan.sizing.families import names

if TYPE_CHECKING:
    from bayplan.sizing.facts import Attention, States
    from bayplan.sizing.gguf import GgufHeader

_MOST = 2**31 - 1  # larger numbers are hostile: no size of a model needs more than 32 bits

DECODERS = names(
    """
    afmoe apertus arcee baichuan bailingmoe bailingmoe2 bitnet bloom chameleon chatglm codeshell cogvlm cohere2
    command-r dbrx deci deepseek deepseek2 dots1 dream ernie4_5 ernie4_5-moe exaone exaone4 falcon gemma gemma2 gemma3
    gemma3n gemma-embedding glm4 glm4moe gpt-oss gpt2 gptj gptneox granite granitemoe grok grovemoe hunyuan-dense
    hunyuan-moe internlm2 jais llada llama llama4 minicpm minicpm3 minimax-m2 mistral3 mpt nemotron olmo olmo2 olmoe
    openelm orion
    pangu-embedded phi2 phi3 phimoe plamo plm qwen qwen2 qwen2moe qwen2vl qwen3 qwen3moe qwen3vl qwen3vlmoe refact
    seed_oss smallthinker smollm3 stablelm starcoder starcoder2 xverse
    """
)
"""Architectures of llama.cpp whose layers cache keys and values."""

HYBRIDS = names(
    "falcon-h1 granitehybrid jamba kimi-linear lfm2 lfm2moe nemotron_h nemotron_h_moe plamo2 qwen3next qwen35 qwen35moe"
)
"""Architectures in which some layers keep a state instead of a cache."""

ENCODERS = names("bert jina-bert-v2 jina-bert-v3 modern-bert nomic-bert nomic-bert-moe neo-bert clip")
STATEFUL = names("mamba mamba2 rwkv6 rwkv7 arwkv7 rwkv6qwen2")
WINDOW_PATTERNS = {"gemma2": 2, "gemma3": 6, "gemma3n": 5, "cohere2": 4, "gpt-oss": 2, "exaone4": 4, "llama4": 4}
"""Every n-th layer of these architectures has no window."""

_LLAMA4_WINDOW = 8192  # llama.cpp uses this where the file states none
_KNOWN = DECODERS | HYBRIDS | ENCODERS | STATEFUL


def gguf_traits(header: GgufHeader) -> Traits:
    """The traits of the architecture that the metadata names."""
    metadata = _Metadata(header)
    kind = metadata.kind
    heads = metadata.least("attention.head_count")
    latent = metadata.count("attention.kv_lora_rank")
    known = kind in _KNOWN
    return Traits(
        kind=kind,
        heads=heads,
        kv_heads=1 if latent else metadata.least("attention.head_count_kv") or heads,
        layers=metadata.count("block_count", most=MOST_LAYERS),
        vocab_size=metadata.count("vocab_size") or header.lengths.get("tokenizer.ggml.tokens"),
        hidden_size=metadata.count("embedding_length"),
        head_dim=metadata.head_dim(heads),
        step_inner_size=_step_inner_size(metadata),
        max_context=metadata.count("context_length"),
        is_moe=(metadata.count("expert_count") or 0) > 1,
        is_mla=latent is not None,
        is_encoder=kind in ENCODERS,
        attention=_attention(metadata, heads, latent),
        states=_states(metadata),
        assumed=None if known or not kind else _ASSUMED.format(kind=kind),
    )


_ASSUMED = "the kind {kind!r} is not known: every layer is assumed to use full attention, an upper bound"


def _step_inner_size(metadata: _Metadata) -> int | None:
    """The inner size of all experts that a token uses, or of a layer without experts."""
    plain = metadata.most("feed_forward_length")
    experts = metadata.count("expert_count") or 0
    if experts < 2:
        return plain
    size = metadata.count("expert_feed_forward_length") or plain or 0
    shared = metadata.count("expert_shared_feed_forward_length") or size * (metadata.count("expert_shared_count") or 0)
    return (metadata.count("expert_used_count") or min(experts, 8)) * size + shared or None


class _Metadata:
    """Numbers under the name of the architecture; each is one number for all layers, or a list with one per layer."""

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
    """What layers cache; in an unknown architecture every layer caches the whole context."""
    if metadata.kind in ENCODERS or metadata.kind in STATEFUL:
        return ()
    layers = metadata.count("block_count", most=MOST_LAYERS)
    if layers is None:
        return None
    drafting = metadata.count("nextn_predict_layers") or 0
    layers = layers - drafting if drafting < layers else layers
    if latent is not None and not _interval(metadata):
        return (KvLayers(layers, latent + (metadata.count("rope.dimension_count") or 0)),)
    width = metadata.head_dim(heads)
    kv_heads = metadata.listed("attention.head_count_kv") or (
        (metadata.count("attention.head_count_kv") or heads or 0,) * layers
    )
    kv_heads = kv_heads[:layers]
    if width is None or len(kv_heads) != layers or not any(kv_heads):
        return None
    both = width + (metadata.count("attention.value_length") or width)
    values = [max(0, each) * both for each in kv_heads]
    if interval := _interval(metadata):
        values = [each if number % interval == interval - 1 else 0 for number, each in enumerate(values)]
    return tuple(_windowed(metadata, layers, values))


def _interval(metadata: _Metadata) -> int | None:
    """Every n-th layer attends, and the others keep a state."""
    return metadata.count("full_attention_interval") if metadata.kind in HYBRIDS else None


def _states(metadata: _Metadata) -> States | None:
    """The states of layers that do not attend; None where their numbers are missing."""
    if metadata.kind not in HYBRIDS | STATEFUL:
        return ()
    count, inner = _stateful_layers(metadata), metadata.count("ssm.inner_size")
    state, conv = metadata.count("ssm.state_size"), metadata.count("ssm.conv_kernel")
    if count is None:
        return None
    if inner is None or state is None or conv is None:
        return _short_states(metadata, count)
    groups = metadata.count("ssm.group_count") or 0
    return (StateLayers(count, state * inner, 4, (conv - 1) * (inner + 2 * groups * state)),)


def _short_states(metadata: _Metadata, count: int) -> States | None:
    """The states of short convolutions, and of the heads of RWKV."""
    hidden = metadata.count("embedding_length")
    cache, head = metadata.count("shortconv.l_cache"), metadata.count("wkv.head_size")
    if hidden is None or (cache is None and head is None):
        return None
    if head is not None:
        return (StateLayers(count, hidden * head, 4, 2 * hidden),)
    return (StateLayers(count, 0, 4, ((cache or 1) - 1) * hidden),)


def _stateful_layers(metadata: _Metadata) -> int | None:
    layers = metadata.count("block_count", most=MOST_LAYERS)
    if layers is None or metadata.kind in STATEFUL or metadata.kind == "falcon-h1":
        return layers
    if interval := _interval(metadata):
        return layers - layers // interval
    listed = metadata.listed("attention.head_count_kv")
    return None if listed is None else sum(each <= 0 for each in listed)


def _windowed(metadata: _Metadata, layers: int, values: list[int]) -> list[KvLayers]:
    """Groups of layers with equal caches. Only some architectures have windows: llama.cpp ignores all others."""
    step = WINDOW_PATTERNS.get(metadata.kind)
    window = metadata.count("attention.sliding_window") if step is not None else None
    window = window or (_LLAMA4_WINDOW if metadata.kind == "llama4" else None)
    listed = metadata.listed("attention.sliding_window_pattern")
    step = metadata.count("attention.sliding_window_pattern") or step
    counted: dict[tuple[int, int | None], int] = {}
    for number in range(layers):
        full = not listed[number] if listed and len(listed) == layers else step is None or number % step == step - 1
        key = (values[number], None if full else window)
        counted[key] = counted.get(key, 0) + bool(values[number])
    return [KvLayers(count, each, reach) for (each, reach), count in counted.items() if count]
