"""Feed-forward layers: which of them have experts, how many, and how large these are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.sizing.config_json import MOST_LAYERS
from bayplan.sizing.field_names import (
    EXPERT_INNER,
    EXPERTS,
    EXPERTS_USED,
    INNER,
    SHARED_EXPERTS,
    SHARED_INNER,
    SPARSE_STEPS,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.sizing.config_json import Config

_USUAL_EXPERTS_USED = 8  # where config.json does not state it; many kinds use eight
_DENSE_NAMES = {
    "llama4": "intermediate_size_mlp",
    "llama4_text": "intermediate_size_mlp",
    "minimax_m3": "dense_intermediate_size",
    "minimax_m3_text": "dense_intermediate_size",
}
"""The field with the inner size of layers without experts, in kinds that have layers with and without."""


@dataclass(frozen=True, slots=True)
class ExpertSizes:
    """The number of experts, the inner size of one, that of all shared ones, and how many each token uses.

    `inner_sum` is that of all experts that are not shared.
    """

    count: int
    inner: int
    shared: int
    used: int
    inner_sum: int

    @property
    def visited_inner(self) -> int:
        return self.used * self.inner + self.shared


@dataclass(frozen=True, slots=True)
class InnerLayer:
    """The inner size of a dense layer (0: there is none), and the experts."""

    dense: int
    experts: ExpertSizes | None = None


def inner_layers(config: Config, blocks: Sequence[str]) -> list[InnerLayer]:
    """One entry a layer; `blocks` are letters where layers are one block each, else empty."""
    count = len(blocks)
    dense, experts = _dense_sizes(config, count), _expert_sizes(config, count)
    sparse = _sparse_layers(config, blocks)
    keeps_dense = config.text.flag("enable_moe_block")
    found = []
    for number, block in enumerate(blocks):
        of_dense = block == "-" if block else not sparse[number] or keeps_dense
        found.append(InnerLayer(dense[number] if of_dense else 0, experts[number] if sparse[number] else None))
    return found


def _sparse_layers(config: Config, blocks: Sequence[str]) -> list[bool]:
    if any(blocks):
        return [block == "E" for block in blocks]
    if (config.count(EXPERTS) or 0) < 2:
        return [False] * len(blocks)
    dense = _dense_layers(config, len(blocks))
    period, offset = config.count(("expert_layer_period",)), config.count(("expert_layer_offset",)) or 0
    step = config.count(SPARSE_STEPS) or 1
    return [
        number not in dense and ((number - offset) % period == 0 if period else (number + 1) % step == 0)
        for number in range(len(blocks))
    ]


def _dense_layers(config: Config, layers: int) -> set[int]:
    """The layers without experts: the first ones, the ones after the last with experts, and the listed ones."""
    first = max(config.count(("first_k_dense_replace",)) or 0, config.count(("moe_layer_start_index",)) or 0)
    dense = set(range(min(first, layers))) | set(config.text.counts("mlp_only_layers", most_entries=MOST_LAYERS) or ())
    last = config.text.get("moe_layer_end_index")
    if type(last) is int and last >= 0:
        dense |= set(range(last + 1, layers))
    listed = config.text.listed("moe_layer_freq", most_entries=MOST_LAYERS)
    if listed is not None:
        return dense | {number for number, sparse in enumerate(listed) if not sparse}
    step = config.count(("moe_layer_freq",)) or 1
    return dense | {number for number in range(layers) if number % step}


def _dense_sizes(config: Config, layers: int) -> tuple[int, ...]:
    """Inner sizes of layers without experts; four times the hidden size where nothing says it."""
    usual = 4 * (config.hidden or 0)
    own = _DENSE_NAMES.get(config.kind)
    sizes = _each(config, (own, *INNER) if own else INNER, layers, usual)
    if config.kind == "qwen":
        return tuple(size // 2 for size in sizes)  # its number counts gate and up together
    if config.kind.startswith("lfm2") and config.text.flag("block_auto_adjust_ff_dim"):
        step = config.count(("block_multiple_of",)) or 256
        return tuple(
            -(-(2 * size // 3) // step) * step for size in _each(config, ("block_ff_dim", *INNER), layers, usual)
        )
    return sizes


def _expert_sizes(config: Config, layers: int) -> list[ExpertSizes]:
    plain = _each(config, INNER, layers, 4 * (config.hidden or 0))
    counts, inner = _each(config, EXPERTS, layers, 0), _each(config, EXPERT_INNER, layers, 0)
    used, several = _each(config, EXPERTS_USED, layers, 0), _each(config, SHARED_EXPERTS, layers, 0)
    shared = _each(config, SHARED_INNER, layers, 0)
    groups = _groups(config, layers)
    found = []
    for number in range(layers):
        size = inner[number] or plain[number]
        beside = plain[number] if config.kind.startswith("llama4") else shared[number] or size * several[number]
        visits = used[number] or min(counts[number], _USUAL_EXPERTS_USED)
        found.append(ExpertSizes(counts[number], size, beside, visits, groups or counts[number] * size))
    return found


def _groups(config: Config, layers: int) -> int:
    """Experts of several sizes (for words and for pictures): the sum of their inner sizes; else 0."""
    counts = config.text.listed(*EXPERTS, most_entries=MOST_LAYERS) or ()
    sizes = config.text.listed(*EXPERT_INNER, most_entries=MOST_LAYERS) or ()
    if len(counts) != len(sizes) or not 1 < len(counts) < layers:
        return 0
    return sum(count * size for count, size in zip(counts, sizes, strict=True))


def _each(config: Config, names: tuple[str, ...], layers: int, absent: int) -> tuple[int, ...]:
    """One number per layer; where the list is too short for that, its largest number for every layer."""
    found = config.each_layer(names, layers, absent)
    return found if found is not None else (config.count(names) or absent,) * layers
