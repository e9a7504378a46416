"""The weights of a model that has no weight files: counted from the numbers of its config.json."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.sizing import families
from bayplan.sizing.config_json import (
    EXPERT_INNER,
    EXPERTS,
    HEADS,
    HIDDEN,
    INNER,
    LAYERS,
    VOCABULARY,
    Config,
    head_dim,
    kv_heads,
)
from bayplan.sizing.layer_kinds import MOST_LAYERS
from bayplan.sizing.quantization import read_bits

if TYPE_CHECKING:
    from fractions import Fraction

    from bayplan.sizing.section import Section


@dataclass(frozen=True, slots=True)
class Parameters:
    """Numbers of weights: outside of layers, in matrices of layers, and in the matrices of experts."""

    outer: int
    matrices: int
    experts: int

    @property
    def total(self) -> int:
        return self.outer + self.matrices + self.experts


def config_weights(data: object, source: str = "config.json") -> tuple[int, str] | None:
    """Bytes of weights and how they come about; None unless the kind is known and every number is there."""
    config = Config.of(data)
    parameters = count_parameters(config)
    bits = read_bits(config.root, config.text)
    if parameters is None or bits is None:
        return None
    matrix = bits.plain if bits.experts_only else bits.matrix
    in_bits = parameters.outer * bits.plain + parameters.matrices * matrix + parameters.experts * bits.matrix
    billions = parameters.total / 10**9
    return -(-in_bits.numerator // (in_bits.denominator * 8)), f"{source}: {billions:.3g} billion weights, {bits.name}"


def config_bits(data: object) -> Fraction | None:
    """Bits of a weight inside a layer; None where they are packed in a way that nobody described."""
    config = Config.of(data)
    bits = read_bits(config.root, config.text)
    return None if bits is None else bits.matrix


def count_parameters(config: Config) -> Parameters | None:
    """Weights of a plain decoder or encoder; biases are left out, they weigh nothing beside matrices."""
    text, kind = config.text, config.kind
    if kind not in families.GATED | families.UNGATED | families.ENCODERS | families.WRAPPERS:
        return None
    hidden, layers = text.count(*HIDDEN), text.count(*LAYERS, most=MOST_LAYERS)
    vocabulary = config.count(*VOCABULARY)
    attention = _attention(text, hidden)
    if hidden is None or layers is None or vocabulary is None or attention is None:
        return None
    plain_inner = text.count(*INNER) or 4 * hidden
    per_inner = hidden * (2 if kind in families.UNGATED | families.ENCODERS else 3)
    sparse = _sparse_layers(text, layers)
    matrices = layers * attention + (layers - sparse) * per_inner * plain_inner
    experts = sparse * _experts(text, hidden, per_inner, plain_inner)
    outer = _embeddings(config, kind, vocabulary, hidden) + (2 * layers + 1) * hidden
    return Parameters(outer, matrices + _vision(config.root), experts)


def _attention(text: Section, hidden: int | None) -> int | None:
    heads = text.count(*HEADS)
    if hidden is None or heads is None:
        return None
    if rank := text.count("kv_lora_rank"):
        return _latent(text, hidden, heads, rank)
    width, shared = head_dim(text, heads, hidden), kv_heads(text, heads)
    if width is None or shared is None:
        return None
    return 2 * hidden * width * (heads + shared)


def _latent(text: Section, hidden: int, heads: int, rank: int) -> int:
    rope = text.count("qk_rope_head_dim") or 0
    key = text.count("qk_nope_head_dim") or 0
    value = text.count("v_head_dim") or key
    query_rank = text.count("q_lora_rank")
    queries = heads * (key + rope)
    asking = (hidden + queries) * query_rank if query_rank else hidden * queries
    return asking + hidden * (rank + rope) + rank * heads * (key + value) + heads * value * hidden


def _sparse_layers(text: Section, layers: int) -> int:
    """How many layers have experts; the first few, or every other one, may have none."""
    if not text.count(*EXPERTS):
        return 0
    step = text.count("decoder_sparse_step", "interleave_moe_layer_step", "moe_layer_freq") or 1
    dense = len(text.counts("mlp_only_layers", most_entries=MOST_LAYERS) or ())
    dense = max(dense, text.count("first_k_dense_replace") or 0)
    return max(0, layers - dense) // step


def _experts(text: Section, hidden: int, per_inner: int, plain_inner: int) -> int:
    experts = text.count(*EXPERTS) or 0
    inner = text.count(*EXPERT_INNER) or plain_inner
    shared = text.count("shared_expert_intermediate_size") or inner * (
        text.count("n_shared_experts", "num_shared_experts") or 0
    )
    return per_inner * (experts * inner + shared) + experts * hidden


def _embeddings(config: Config, kind: str, vocabulary: int, hidden: int) -> int:
    words = vocabulary * hidden
    if kind in families.ENCODERS:
        return words + hidden * (
            (config.count("max_position_embeddings") or 0) + (config.count("type_vocab_size") or 0)
        )
    tied = config.root.flag(
        "tie_word_embeddings", absent=config.text.flag("tie_word_embeddings", absent=kind in families.TIED)
    )
    return words if tied else 2 * words


def _vision(root: Section) -> int:
    """The layers of a vision tower; what joins it to the text model weighs little."""
    tower = root.inner("vision_config")
    if tower is None:
        return 0
    width = tower.count("hidden_size", "embed_dim", "width") or 0
    layers = tower.count("num_hidden_layers", "depth", "layers", most=MOST_LAYERS) or 0
    inner = tower.count("intermediate_size") or 4 * width
    return layers * width * (4 * width + 2 * inner)
