"""What the files of a model state: its architecture, its attention, its tensors."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from bayplan.sizing.engine import Engine

HALF_BITS_ENGINES = ("vllm", "sglang")
"""Engines that load a 32-bit checkpoint with 16 bits per weight, unless a flag says otherwise."""

_WIDE_DTYPES = ("float32", "float")


@dataclass(frozen=True, slots=True)
class KvLayers:
    """Layers with equal caches: values per token and layer, and the window in tokens (None: the whole context).

    With `in_chunks` the window is a chunk. `fixed_tokens` are cached for any context. `index_bytes` are
    added for each token, for any data type of the cache.
    """

    count: int
    values_per_token: int
    window: int | None = None
    in_chunks: bool = False
    fixed_tokens: int | None = None
    index_bytes: int = 0


@dataclass(frozen=True, slots=True)
class StateLayers:
    """Layers that keep a state per sequence: values of a fixed size, and 16-bit values of a convolution."""

    count: int
    values: int
    value_bytes: int
    conv_values: int


Attention: TypeAlias = tuple[KvLayers, ...]
"""The layers that keep a cache; empty for a model that keeps none."""

States: TypeAlias = tuple[StateLayers, ...]


@dataclass(frozen=True, slots=True)
class Blocks:
    """Weights in blocks of `size`: the inner sizes that tensor parallel must cut between blocks."""

    size: int
    dense: tuple[int, ...] = ()
    experts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Traits:
    """The numbers of an architecture; None is what the files do not say.

    `attention` is None where it is not known how the model attends, which is not the same as keeping no cache; likewise
    `states`. `kv_heads` is 1 for latent attention. `step_inner_size` is the inner size of all experts that a token
    visits, shared ones too, or that of a model without experts. `assumed` is a sentence where the cache is an upper
    bound. With `never_cut_tower` engines keep the vision tower whole on every card.
    """

    kind: str = ""
    heads: int | None = None
    kv_heads: int | None = None
    layers: int | None = None
    vocab_size: int | None = None
    hidden_size: int | None = None
    head_dim: int | None = None
    step_inner_size: int | None = None
    vision_heads: int | None = None
    never_cut_tower: bool = False
    max_context: int | None = None
    is_moe: bool = False
    is_mla: bool = False
    is_encoder: bool = False
    attention: Attention | None = None
    states: States | None = ()
    blocks: Blocks | None = None
    assumed: str | None = None

    @property
    def is_stateful(self) -> bool:
        return self.states != ()


@dataclass(frozen=True, slots=True)
class Held:
    """Bytes of weights in an engine's memory, and the part of them that is a tower."""

    total_bytes: int
    tower_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Weights:
    """Bytes of the weights in three forms: as stored, with wider weights at 16 bits, with unpacked weights at 32 bits.

    `padding_bytes` come on top in vLLM.
    """

    stored: Held
    half: Held
    single: Held
    padding_bytes: int = 0

    @classmethod
    def of(cls, total_bytes: int) -> Weights:
        """Weights that take the same bytes in every engine."""
        held = Held(total_bytes)
        return cls(held, held, held)

    def narrowed(self) -> Weights:
        """The weights of files that store 32 bits per weight and do not list their tensors."""
        return replace(self, half=Held(-(-self.stored.total_bytes // 2)))

    def held(self, engine: Engine) -> Held:
        """The bytes that this engine holds in memory."""
        if engine.name not in HALF_BITS_ENGINES:
            return self.stored
        found = self.single if engine.dtype in _WIDE_DTYPES else self.half
        more = self.padding_bytes if engine.name == "vllm" else 0
        return Held(found.total_bytes + more, found.tower_bytes)


@dataclass(frozen=True, slots=True)
class Files:
    """One model, adapter or draft as its files describe it: its weights, where they were read, and its traits.

    `weight_bits` is what a weight inside a layer takes.
    """

    weights: Weights | None = None
    weights_source: str = ""
    traits: Traits | None = None
    traits_source: str = ""
    warnings: tuple[str, ...] = ()
    weight_bits: Fraction | None = None


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """The files of a model, and the files of its adapters and its draft model, by path."""

    model: Files | None = None
    parts: Mapping[str, Files] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
