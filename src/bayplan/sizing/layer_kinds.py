"""How each layer of a model mixes its tokens, from all the forms in which config.json files state it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from bayplan.sizing import families
from bayplan.sizing.config_json import MOST_LAYERS
from bayplan.sizing.field_names import LINEAR_FIELDS, MAMBA2_FIELDS, WINDOWS

if TYPE_CHECKING:
    from bayplan.sizing.config_json import Config


class Mixer(Enum):
    """What a layer does with earlier tokens: attend to them, keep a state of fixed size, or neither."""

    ATTENTION = "attention"
    CROSS = "cross attention"
    DELTA = "gated delta net"
    KIMI = "kimi delta"
    LIGHTNING = "lightning"
    MAMBA = "mamba"
    MAMBA2 = "mamba 2"
    CONV = "short convolution"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class LayerKind:
    """A mixer, its window (None: the whole context), whether the window is a chunk, and a second mixer beside it.

    `block` is the letter of what the layer consists of where it is one block only: M, *, - or E.
    """

    mixer: Mixer = Mixer.ATTENTION
    window: int | None = None
    in_chunks: bool = False
    beside: Mixer | None = None
    block: str = ""


FULL = LayerKind()
_BLOCKS = {"M": Mixer.MAMBA2, "*": Mixer.ATTENTION, "-": Mixer.NOTHING, "E": Mixer.NOTHING}
_LISTS = ("layer_types", "layers_block_type", "block_types", "_block_types")
_WINDOWED = families.names("sliding_attention sliding local local_attention")
_CHUNKED = families.names("chunked_attention")
_NAMED = {
    "linear_attention": None, "linear": None, "mamba": Mixer.MAMBA, "mamba2": Mixer.MAMBA2, "conv": Mixer.CONV,
    "short_conv": Mixer.CONV, "mlp": Mixer.NOTHING, "moe": Mixer.NOTHING, "no_op": Mixer.NOTHING,
}  # fmt: skip


def layer_kinds(config: Config, layers: int) -> tuple[LayerKind, ...] | None:
    """One entry a layer; None where a hybrid does not say which of its layers attend.

    In an unknown kind every layer caches the whole context, which is an upper bound.
    """
    if not config.is_known or config.kind in families.CACHE_ASSUMED:
        return (FULL,) * layers
    if config.kind in families.STATEFUL:
        return (LayerKind(Mixer.MAMBA2 if config.kind == "mamba2" else Mixer.MAMBA, block="M"),) * layers
    found = _blocks(config, layers) or _listed(config, layers) or _numbered(config, layers)
    if found is None and config.kind in families.HYBRID:
        return _hybrid(config, layers)
    return found or _windowed(config, layers)


def _blocks(config: Config, layers: int) -> tuple[LayerKind, ...] | None:
    """`hybrid_override_pattern`: one letter a layer."""
    letters = config.text.text("hybrid_override_pattern") or config.root.text("hybrid_override_pattern")
    if len(letters) < layers or not letters or not set(letters) <= _BLOCKS.keys():
        return None
    return tuple(LayerKind(_BLOCKS[letter], block=letter) for letter in letters[:layers])


def _listed(config: Config, layers: int) -> tuple[LayerKind, ...] | None:
    """The list that names each layer, repeated where it is a pattern."""
    for name in _LISTS:
        kinds = config.text.words(name, most_entries=MOST_LAYERS)
        if kinds:
            known = {each: _by_name(config, each) for each in set(kinds)}
            return tuple(known[kinds[number % len(kinds)]] for number in range(layers))
    windowed = config.text.counts("hybrid_layer_pattern", most_entries=MOST_LAYERS)
    if windowed is not None and len(windowed) >= layers:
        return tuple(LayerKind(window=_window(config)) if each else FULL for each in windowed[:layers])
    types = config.text.counts("attn_type_list", most_entries=MOST_LAYERS)
    if types is not None and len(types) >= layers:
        return tuple(FULL if each else LayerKind(Mixer.LIGHTNING) for each in types[:layers])
    return None


def _by_name(config: Config, name: str) -> LayerKind:
    """A layer with an unknown name counts as attention without a window."""
    if name in _WINDOWED:
        return LayerKind(window=_window(config))
    if name in _CHUNKED:
        return LayerKind(window=config.count(("attention_chunk_size",)), in_chunks=True)
    if name == "hybrid":
        return LayerKind(beside=_mamba(config))
    if name in ("linear_attention", "linear"):
        return LayerKind(_linear(config))
    mixer = _NAMED.get(name, Mixer.ATTENTION) or Mixer.ATTENTION
    return LayerKind(_mamba(config) if mixer is Mixer.MAMBA else mixer)


def _linear(config: Config) -> Mixer:
    """Which of the linear layers a kind has."""
    if config.has("linear_attn_config"):
        return Mixer.KIMI
    if config.kind.startswith("minimax") and not config.count(LINEAR_FIELDS["value_heads"]):
        return Mixer.LIGHTNING
    return Mixer.DELTA


def _mamba(config: Config) -> Mixer:
    return Mixer.MAMBA2 if config.count(MAMBA2_FIELDS["heads"]) else Mixer.MAMBA


def _numbered(config: Config, layers: int) -> tuple[LayerKind, ...] | None:
    """The attention layers, listed by number or given as every n-th layer."""
    linear = config.text.inner("linear_attn_config")
    listed = linear.counts("full_attn_layers", most_entries=MOST_LAYERS) if linear is not None else None
    if listed is not None:
        return _others(layers, {number - 1 for number in listed}, Mixer.KIMI)
    if interval := config.count(("full_attention_interval",)):
        return _others(layers, range(interval - 1, layers, interval), _linear(config))
    if period := config.count(("attn_layer_period",)):
        offset = config.count(("attn_layer_offset",)) or 0
        return _others(layers, range(offset % period, layers, period), _mamba(config))
    indices = config.text.counts("attn_layer_indices", most_entries=MOST_LAYERS)
    return None if indices is None else _others(layers, set(indices), _mamba(config))


def _others(layers: int, attending: range | set[int], mixer: Mixer) -> tuple[LayerKind, ...]:
    return tuple(FULL if number in attending else LayerKind(mixer) for number in range(layers))


def _hybrid(config: Config, layers: int) -> tuple[LayerKind, ...] | None:
    """Layers of a hybrid: both mixers in each layer, or blocks of one kind; None where that is not stated."""
    if config.kind == "falcon_h1":
        return (LayerKind(beside=Mixer.MAMBA2),) * layers
    return (FULL,) * layers if config.has("block_configs") else None


def _windowed(config: Config, layers: int) -> tuple[LayerKind, ...]:
    cross = config.text.counts("cross_attention_layers", most_entries=MOST_LAYERS)
    if cross:
        return tuple(LayerKind(Mixer.CROSS) if number in cross else FULL for number in range(layers))
    chunks = config.kind in families.CHUNK_PATTERNS
    window = config.count(("attention_chunk_size",)) if chunks else _window(config)
    if window is None:
        return (FULL,) * layers
    full = _full_layers(config, layers)
    short = LayerKind(window=window, in_chunks=chunks)
    return tuple(FULL if number in full else short for number in range(layers))


def _full_layers(config: Config, layers: int) -> frozenset[int]:
    """The layers without a window in a model that has one."""
    text = config.text
    if letters := text.text("sliding_window_pattern"):
        return frozenset(number for number in range(layers) if letters[number % len(letters)] == "G")
    if text.flag("use_sliding_window") and (first := config.count(("max_window_layers",))):
        return frozenset(range(min(first, layers)))
    ropeless = text.counts("no_rope_layers", most_entries=MOST_LAYERS)
    if config.kind in families.CHUNK_PATTERNS and ropeless and len(ropeless) == layers:
        return frozenset(number for number, uses_rope in enumerate(ropeless) if not uses_rope)
    step = (
        config.count(("sliding_window_pattern", "_sliding_window_pattern"))
        or families.CHUNK_PATTERNS.get(config.kind)
        or families.WINDOW_PATTERNS.get(config.kind)
    )
    return frozenset(range(step - 1, layers, step)) if step else frozenset()


def _window(config: Config) -> int | None:
    """The window in tokens; None where there is none or it is switched off (the default in Qwen's kinds)."""
    if not config.text.flag("use_sliding_window", absent=not config.kind.startswith("qwen")):
        return None
    return None if config.says_none("sliding_window") else config.count(WINDOWS)
