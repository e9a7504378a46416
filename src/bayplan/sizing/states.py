"""Layers with a state of fixed size instead of a cache: their weights and the size of the state."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from bayplan.sizing.facts import StateLayers
from bayplan.sizing.field_names import LINEAR_FIELDS, MAMBA2_FIELDS, MAMBA_FIELDS
from bayplan.sizing.layer_kinds import Mixer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bayplan.sizing.config_json import Config
    from bayplan.sizing.facts import States
    from bayplan.sizing.layers import Layer

    Built = tuple[dict[str, int], StateLayers]
    """Weights by the names of modules, and the state of one layer."""

_STATE_DTYPES = ("mamba_ssm_dtype", "mamba_ssm_cache_dtype")
_USUAL_CONV = 4  # the kernel width of Mamba and of its relatives


def states(config: Config, layers: tuple[Layer, ...]) -> States | None:
    """The state of all layers that keep one; None where a number of it is missing."""
    found = []
    for mixer, count in Counter(_mixers(layers)).items():
        built = build(config, mixer)
        if built is None:
            return None
        found.append(replace(built[1], count=count))
    return tuple(found)


def _mixers(layers: tuple[Layer, ...]) -> list[Mixer]:
    both = [mixer for layer in layers for mixer in (layer.kind.mixer, layer.kind.beside)]
    return [mixer for mixer in both if mixer is not None and mixer in STATE_MIXERS]


def build(config: Config, mixer: Mixer) -> Built | None:
    """Weights and state of one layer of this mixer; None where a number is missing."""
    return _BUILDERS[mixer](config)


def _numbers(config: Config, fields: Mapping[str, tuple[str, ...]]) -> dict[str, int] | None:
    found = {name: config.count(names) for name, names in fields.items()}
    known = {name: number for name, number in found.items() if number is not None}
    return known if len(known) == len(found) else None


def _state_bytes(config: Config) -> int:
    """Bytes of one value of the state: 4 where config.json asks for 32 bits, else 2."""
    told = [part.text(name) for name in _STATE_DTYPES for part in (config.text, config.root)]
    return 4 if "float32" in told else 2


def _delta(config: Config) -> Built | None:
    size, hidden = _numbers(config, LINEAR_FIELDS), config.hidden
    if size is None or hidden is None:
        return None
    keys, values = size["key_heads"] * size["key_dim"], size["value_heads"] * size["value_dim"]
    weights = {
        "linear_attn.in_proj_qkvz": hidden * (2 * keys + 2 * values),
        "linear_attn.in_proj_ba": 2 * hidden * size["value_heads"],
        "linear_attn.conv1d": size["conv"] * (2 * keys + values),
        "linear_attn.out_proj": values * hidden,
    }
    kept = size["value_heads"] * size["key_dim"] * size["value_dim"]
    return weights, StateLayers(1, kept, _state_bytes(config), (size["conv"] - 1) * (2 * keys + values))


def _kimi(config: Config) -> Built | None:
    part, hidden = config.text.inner("linear_attn_config"), config.hidden
    heads, width = (part.count("num_heads"), part.count("head_dim")) if part is not None else (None, None)
    if part is None or heads is None or width is None or hidden is None:
        return None
    conv, wide = part.count("short_conv_kernel_size") or _USUAL_CONV, heads * width
    weights = {
        "self_attn.q_proj": hidden * wide,
        "self_attn.k_proj": hidden * wide,
        "self_attn.v_proj": hidden * wide,
        "self_attn.o_proj": wide * hidden,
        "self_attn.g_proj": hidden * wide if part.flag("use_full_rank_gate") else width * (hidden + wide),
        "self_attn.f_proj": width * (hidden + wide) + hidden * heads,
        "self_attn.conv1d": 3 * conv * wide,
    }
    return weights, StateLayers(1, heads * width**2, 4, 3 * (conv - 1) * wide)


def _lightning(config: Config) -> Built | None:
    heads, width, hidden = config.heads, config.head_dim, config.hidden
    if heads is None or width is None or hidden is None:
        return None
    wide = hidden * heads * width
    weights = {"self_attn.qkv_proj": 3 * wide, "self_attn.output_gate": wide, "self_attn.out_proj": wide}
    return weights, StateLayers(1, heads * width**2, 2, 0)


def _mamba(config: Config) -> Built | None:
    hidden = config.hidden
    size = _numbers(config, {name: MAMBA_FIELDS[name] for name in ("expand", "state", "conv")})
    if size is None or hidden is None:
        return None
    wide, state, conv = size["expand"] * hidden, size["state"], size["conv"]
    auto = "auto" in (config.text.text("time_step_rank"), config.text.text("mamba_dt_rank"))
    rank = (None if auto else config.count(MAMBA_FIELDS["rank"])) or -(-hidden // 16)
    weights = {
        "mamba.in_proj": 2 * hidden * wide,
        "mamba.x_proj": wide * (rank + 2 * state),
        "mamba.dt_proj": rank * wide + wide * state,
        "mamba.conv1d": wide * conv,
        "mamba.out_proj": wide * hidden,
    }
    return weights, StateLayers(1, wide * state, 2, (conv - 1) * wide)


def _mamba2(config: Config) -> Built | None:
    fields: dict[str, tuple[str, ...]] = dict(MAMBA2_FIELDS)
    if config.kind == "mamba2":
        fields |= {"heads": ("num_heads",), "head_dim": ("head_dim",)}
    size, hidden = _numbers(config, fields), config.hidden
    if size is None or hidden is None:
        return None
    wide, state, conv = size["heads"] * size["head_dim"], size["state"], size["conv"]
    mixed = wide + 2 * size["groups"] * state
    weights = {
        "mixer.in_proj": hidden * (wide + mixed + size["heads"]),
        "mixer.conv1d": conv * mixed,
        "mixer.out_proj": wide * hidden,
    }
    return weights, StateLayers(1, wide * state, _state_bytes(config), (conv - 1) * mixed)


def _conv(config: Config) -> Built | None:
    hidden, conv = config.hidden, config.count(("conv_L_cache",)) or _USUAL_CONV
    if hidden is None:
        return None
    return {"conv.in_proj": 3 * hidden**2 + conv * hidden, "conv.out_proj": hidden**2}, StateLayers(
        1, 0, 2, (conv - 1) * hidden
    )


_BUILDERS: dict[Mixer, Callable[[Config], Built | None]] = {
    Mixer.DELTA: _delta,
    Mixer.KIMI: _kimi,
    Mixer.LIGHTNING: _lightning,
    Mixer.MAMBA: _mamba,
    Mixer.MAMBA2: _mamba2,
    Mixer.CONV: _conv,
}

STATE_MIXERS = frozenset(_BUILDERS)
"""The mixers that keep a state."""
