"""How far back each layer of a model looks, from the many ways in which config.json can say it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.sizing import families

if TYPE_CHECKING:
    from bayplan.sizing.section import Section

MOST_LAYERS = 10_000

_WINDOWED = frozenset({"sliding_attention", "chunked_attention", "sliding", "local", "local_attention"})
_CACHELESS = frozenset(
    {"linear_attention", "mamba", "mamba2", "recurrent", "conv", "short_conv", "linear", "ssm", "mlp", "moe", "no_op"}
)
_WINDOWS = ("sliding_window", "attention_window_size", "window_size", "sliding_window_size")


def layer_windows(text: Section, kind: str, layers: int) -> tuple[int | None, ...] | None:
    """One entry for each layer that caches: its window, or None where it looks all the way back.

    A layer of a kind that nobody knows counts as one that caches everything. The answer itself is None where the
    layers of a hybrid are not told apart.
    """
    kinds = _named_kinds(text, layers)
    if kinds is not None:
        window = _window(text) or text.count("attention_chunk_size")
        kept = [window if each in _WINDOWED else None for each in kinds if each not in _CACHELESS]
    elif kind in families.HYBRID:
        return _hybrid(text, kind, layers)
    else:
        kept = _windowed(text, kind, layers)
    shared = text.count("num_kv_shared_layers") or 0
    return tuple(kept[: max(1, layers - shared)])


def _named_kinds(text: Section, layers: int) -> tuple[str, ...] | None:
    """The list that names each layer, where there is one of the right length, repeated if it is a pattern."""
    for name in ("layer_types", "layers_block_type", "block_types", "_block_types"):
        kinds = text.words(name, most_entries=MOST_LAYERS)
        if kinds:
            return tuple(kinds[number % len(kinds)] for number in range(layers))
    pattern = text.text("hybrid_override_pattern")
    if len(pattern) == layers:
        return tuple("attention" if letter == "*" else "mamba" for letter in pattern)
    listed = text.counts("attn_type_list", most_entries=MOST_LAYERS)
    if listed is not None and len(listed) == layers:
        return tuple("attention" if each else "linear" for each in listed)
    return None


def _hybrid(text: Section, kind: str, layers: int) -> tuple[int | None, ...] | None:
    """Full attention in some layers, nothing that grows in the others; None where nobody says which."""
    if interval := text.count("full_attention_interval"):
        return (None,) * (layers // interval)
    if period := text.count("attn_layer_period"):
        offset = text.count("attn_layer_offset") or 0
        return (None,) * len(range(offset, layers, period))
    indices = text.counts("attn_layer_indices", most_entries=MOST_LAYERS)
    if indices is not None:
        return (None,) * len(indices)
    if kind in ("falcon_h1", "openelm"):
        return (None,) * layers
    return None


def _windowed(text: Section, kind: str, layers: int) -> list[int | None]:
    chunk = text.count("attention_chunk_size") if kind in families.CHUNK_PATTERNS else None
    window = chunk or _window(text)
    if window is None:
        return [None] * layers
    full = _full_layers(text, kind, layers)
    return [None if number in full else window for number in range(layers)]


def _full_layers(text: Section, kind: str, layers: int) -> frozenset[int]:
    """The layers that look all the way back although the model has a window."""
    if letters := text.text("sliding_window_pattern"):
        return frozenset(number for number in range(layers) if letters[number % len(letters)] == "G")
    if text.flag("use_sliding_window") and (first := text.count("max_window_layers", most=MOST_LAYERS)):
        return frozenset(range(min(first, layers)))
    step = (
        _whole(text, "sliding_window_pattern")
        or _whole(text, "_sliding_window_pattern")
        or families.CHUNK_PATTERNS.get(kind)
        or families.WINDOW_PATTERNS.get(kind)
    )
    return frozenset(range(step - 1, layers, step)) if step else frozenset()


def _whole(text: Section, name: str) -> int | None:
    return text.count(name) if isinstance(text.get(name), int) else None


def _window(text: Section) -> int | None:
    """None where there is none, or where it is switched off."""
    if not text.flag("use_sliding_window", absent=True):
        return None
    return text.count(*_WINDOWS)
