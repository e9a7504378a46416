"""Vision and audio towers: their weights, their heads, and whether every card holds them whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.sizing.config_json import MOST_LAYERS
from bayplan.sizing.field_names import (
    AUDIO_DEPTH,
    AUDIO_INNER,
    AUDIO_WIDTH,
    TOWER_DEPTH,
    TOWER_HEADS,
    TOWER_INNER,
    TOWER_WIDTH,
    TOWERS,
)
from bayplan.sizing.kind_defaults import TOWER_DEFAULTS

if TYPE_CHECKING:
    from bayplan.sizing.config_json import Config
    from bayplan.sizing.section import Section

CLIP_VIT_L14 = 304_000_000 + 22_000_000
"""The tower that phi3_v names without its numbers, and what joins it to the text model."""

# published counts: their config.json does not hold the numbers
GEMMA3N_TOWER, GEMMA3N_AUDIO = 300_000_000, 680_000_000
_GATED_TOWERS = frozenset({"pixtral", "qwen2_5_vl", "glm4v", "glm4v_moe"})
_USUAL_MERGE = 2  # 2 x 2 patches become one token


@dataclass(frozen=True, slots=True)
class Tower:
    """The weights of a vision tower (None: numbers are missing), its heads, and whether engines never divide it."""

    name: str
    weights: int | None
    heads: int | None
    never_cut: bool


def read_tower(config: Config) -> Tower | None:
    """The first vision tower; None where there is none."""
    thinker = config.root.inner("thinker_config")
    for holder in (config.root, thinker):
        for name in TOWERS if holder is not None else ():
            part = holder.inner(name) if holder is not None else None
            if part is not None:
                return _tower(config, name, part)
    processor = config.root.inner("img_processor")
    if processor is not None:
        known = processor.text("name") == "clip_vision_model"
        return Tower("img_processor", CLIP_VIT_L14 if known else None, 16 if known else None, never_cut=False)
    return None


def _tower(config: Config, name: str, part: Section) -> Tower:
    kind = part.text("model_type")
    heads = part.count(*TOWER_HEADS) or TOWER_DEFAULTS.get(kind, {}).get("num_attention_heads")
    dummies = part.count("num_dummy_heads") or config.root.count("num_dummy_heads") or 0
    weights = GEMMA3N_TOWER if config.kind.startswith("gemma3n") else _weights(config, part, kind)
    return Tower(name, weights, heads + dummies if heads else None, kind.startswith("intern_vit"))


def _weights(config: Config, part: Section, kind: str) -> int | None:
    defaults = TOWER_DEFAULTS.get(kind, {})
    width = part.count(*TOWER_WIDTH) or defaults.get("hidden_size")
    depth = part.count(*TOWER_DEPTH, most=MOST_LAYERS) or defaults.get("num_hidden_layers")
    if width is None or depth is None:
        return None
    depth += part.count("num_global_layers", most=MOST_LAYERS) or 0
    inner = part.count(*TOWER_INNER) or _inner(part, width, defaults)
    matrices = 3 if {kind, config.root.text("model_type")} & _GATED_TOWERS else 2
    return depth * (4 * width**2 + matrices * width * inner) + _joint(part, width)


def _inner(part: Section, width: int, defaults: dict[str, int]) -> int:
    ratio = part.get("mlp_ratio")
    if isinstance(ratio, int | float) and not isinstance(ratio, bool) and 0 < ratio < 1000:
        return int(ratio * width)
    return defaults.get("intermediate_size") or 4 * width


def _joint(part: Section, width: int) -> int:
    """The two matrices that merge neighbouring patches into tokens: one pair, and one more per deepstack level."""
    output = part.count("out_hidden_size") or (part.count("hidden_size") if "embed_dim" in part else None)
    if output is None:
        return 0
    merged = width * (part.count("spatial_merge_size", most=64) or _USUAL_MERGE) ** 2
    taps = part.counts("deepstack_visual_indexes", most_entries=MOST_LAYERS) or ()
    return (1 + len(taps)) * (merged**2 + merged * output)


def audio_weights(config: Config) -> int:
    """The weights of the audio encoder; engines do not load speech output."""
    thinker = config.root.inner("thinker_config")
    part = config.root.inner("audio_config") or (thinker.inner("audio_config") if thinker is not None else None)
    if part is None:
        return 0
    if config.kind.startswith("gemma3n"):
        return GEMMA3N_AUDIO
    width, depth = part.count(*AUDIO_WIDTH) or 0, part.count(*AUDIO_DEPTH, most=MOST_LAYERS) or 0
    return depth * (4 * width**2 + 2 * width * (part.count(*AUDIO_INNER) or 4 * width))
