"""The layers of a model, one by one: how each mixes its tokens, and the sizes of its parts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bayplan.sizing.experts import inner_layers
from bayplan.sizing.field_names import HEAD_DIM, HEADS, KV_HEADS
from bayplan.sizing.layer_kinds import LayerKind, Mixer, layer_kinds

if TYPE_CHECKING:
    from bayplan.sizing.config_json import Config
    from bayplan.sizing.experts import InnerLayer
    from bayplan.sizing.section import Section

_NOTHING = LayerKind(Mixer.NOTHING)


@dataclass(frozen=True, slots=True)
class Layer:
    """The kind of a layer, the heads of its attention, and its inner layer.

    `squares` counts matrices of hidden size x hidden size that replace attention or the feed-forward layer.
    """

    kind: LayerKind
    heads: int
    kv_heads: int
    head_dim: int
    value_dim: int
    inner: InnerLayer
    squares: int = 0

    @property
    def attends(self) -> bool:
        return self.kind.mixer in (Mixer.ATTENTION, Mixer.CROSS)


def read_layers(config: Config) -> tuple[Layer, ...] | None:
    """The layers; None where a number that decides their size is missing."""
    count = config.layers
    kinds = None if count is None else layer_kinds(config, count)
    if count is None or kinds is None:
        return None
    heads, kv_heads, widths = _heads(config, count)
    nothing = (0,) * count
    if any(kind.mixer in (Mixer.ATTENTION, Mixer.CROSS) for kind in kinds) and not (heads and kv_heads and widths):
        return None
    sizes = zip(heads or nothing, kv_heads or nothing, widths or nothing, strict=True)
    inner = inner_layers(config, [kind.block for kind in kinds])
    value_dim = None if config.has("kv_lora_rank") else config.count(("v_head_dim",))
    layers = tuple(
        Layer(kind, asked, kept, width, value_dim or width, inside)
        for kind, (asked, kept, width), inside in zip(kinds, sizes, inner, strict=True)
    )
    return _by_blocks(config, _with_own_heads(config, layers))


def _heads(config: Config, count: int) -> tuple[tuple[int, ...] | None, ...]:
    """Heads, KV heads and head sizes of each layer."""
    shared = config.kv_heads
    kv_heads = config.each_layer(KV_HEADS, count, shared)
    if kv_heads is not None and len(set(kv_heads)) == 1:
        kv_heads = (shared,) * count if shared else None
    return config.each_layer(HEADS, count, None), kv_heads, config.each_layer(HEAD_DIM, count, config.head_dim)


def _with_own_heads(config: Config, layers: tuple[Layer, ...]) -> tuple[Layer, ...]:
    """Layers with a window may have another number and size of KV heads than layers without one."""
    width, kv_heads = config.count(("global_head_dim",)), config.count(("num_global_key_value_heads",))
    if windowed := config.count(("swa_num_key_value_heads",)):
        layers = tuple(replace(layer, kv_heads=windowed) if layer.kind.window else layer for layer in layers)
    if not width and not kv_heads:
        return layers
    return tuple(
        replace(
            layer,
            kv_heads=kv_heads or layer.kv_heads,
            head_dim=width or layer.head_dim,
            value_dim=width or layer.value_dim,
        )
        if layer.attends and layer.kind.window is None
        else layer
        for layer in layers
    )


def _by_blocks(config: Config, layers: tuple[Layer, ...]) -> tuple[Layer, ...] | None:
    """`block_configs`: each layer says its own attention and inner layer, or that it has none."""
    if not isinstance(config.text.get("block_configs"), list):
        return layers
    blocks = config.text.inners("block_configs")
    if len(blocks) < len(layers):
        return None
    return tuple(_block(layer, block, config.hidden or 0) for layer, block in zip(layers, blocks, strict=False))


def _block(layer: Layer, block: Section, hidden: int) -> Layer:
    attention, inner = block.inner("attention"), block.inner("ffn")
    if attention is not None:
        layer = _block_attention(layer, attention)
    return layer if inner is None else _block_inner(layer, inner, hidden)


def _block_attention(layer: Layer, attention: Section) -> Layer:
    if attention.flag("no_op") or attention.flag("replace_with_linear"):
        return replace(layer, kind=_NOTHING, squares=layer.squares + attention.flag("replace_with_linear"))
    group = attention.count("n_heads_in_group")
    return replace(layer, kv_heads=max(1, layer.heads // group)) if group else layer


def _block_inner(layer: Layer, inner: Section, hidden: int) -> Layer:
    if inner.flag("no_op") or inner.flag("replace_with_linear"):
        nothing = replace(layer.inner, dense=0)
        return replace(layer, inner=nothing, squares=layer.squares + inner.flag("replace_with_linear"))
    told = _multiplied(inner, hidden) or inner.count("intermediate_size") or layer.inner.dense
    return replace(layer, inner=replace(layer.inner, dense=told))


def _multiplied(inner: Section, hidden: int) -> int:
    """Two thirds of twice a multiple of the hidden size, rounded up to 256, as this kind defines it."""
    factor = inner.get("ffn_mult")
    if isinstance(factor, bool) or not isinstance(factor, int | float) or not 0 < factor < 1000:
        return 0
    return -(-int(2 * factor * hidden / 3) // 256) * 256
