"""What files tell about a model: its build, its attention, its tensors; nothing here is assumed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction


@dataclass(frozen=True, slots=True)
class KvLayers:
    """Layers that cache alike: values a token takes in each, and how far back they look (None: all the way)."""

    count: int
    values_per_token: int
    window: int | None = None


Attention: TypeAlias = tuple[KvLayers, ...]
"""The layers that keep a cache; empty for a model that keeps none."""


@dataclass(frozen=True, slots=True)
class Traits:
    """The numbers of an architecture; None is what the files do not say.

    `attention` is None where nobody knows how the model attends, which is not the same as keeping no cache.
    `kv_heads` is 1 for latent attention. `experts_per_token` counts shared experts too.
    """

    kind: str = ""
    heads: int | None = None
    kv_heads: int | None = None
    layers: int | None = None
    vocab_size: int | None = None
    hidden_size: int | None = None
    head_dim: int | None = None
    intermediate_size: int | None = None
    experts_per_token: int = 0
    vision_heads: int | None = None
    max_context: int | None = None
    is_mla: bool = False
    is_encoder: bool = False
    attention: Attention | None = None

    is_stateful: bool = False

    @property
    def is_moe(self) -> bool:
        return self.experts_per_token > 0

    @property
    def step_inner_size(self) -> int | None:
        """Inner sizes of all experts that a token visits, or the inner size of a model without experts."""
        return self.intermediate_size and self.intermediate_size * max(1, self.experts_per_token)


@dataclass(frozen=True, slots=True)
class Files:
    """One model, adapter or draft as its files tell it: bytes of weights and how they are known, and its traits.

    `weight_bits` is what a weight inside a layer takes.
    """

    weights_bytes: int | None = None
    weights_source: str = ""
    traits: Traits | None = None
    traits_source: str = ""
    warnings: tuple[str, ...] = ()
    weight_bits: Fraction | None = None


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """The files of a model, and those of its adapters and its draft by their paths."""

    model: Files | None = None
    parts: Mapping[str, Files] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
