"""Reads the traits of a model from its config.json, and its weights where no file holds them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.sizing import families
from bayplan.sizing.attention import cached, latent_values
from bayplan.sizing.encoder_decoder import decoder_layers, encoder_decoder_cache
from bayplan.sizing.facts import Blocks, Traits
from bayplan.sizing.field_names import CONTEXT, EXPERTS, INNER, VOCABULARY
from bayplan.sizing.layers import read_layers
from bayplan.sizing.parameters import count_parameters, packed_weights
from bayplan.sizing.quantization import read_packing
from bayplan.sizing.states import states
from bayplan.sizing.towers import read_tower
from bayplan.sizing.unread_parts import unread_part

if TYPE_CHECKING:
    from bayplan.sizing.config_json import Config
    from bayplan.sizing.facts import Attention, States, Weights
    from bayplan.sizing.layers import Layer
    from bayplan.sizing.quantization import Packing


@dataclass(frozen=True, slots=True)
class Counted:
    """Weights that were counted and their source, or a sentence that says why they could not be counted."""

    weights: Weights | None = None
    source: str = ""
    problem: str | None = None


def traits_of(config: Config, quant_config: object = None) -> Traits:
    """The traits that a config.json states; InputError with the field where a number is not one."""
    layers = None if config.kind in families.ENCODER_DECODERS else read_layers(config)
    tower, latent = read_tower(config), latent_values(config)
    attention, kept = _attention(config, layers)
    return Traits(
        kind=config.kind,
        heads=config.heads,
        kv_heads=1 if latent else _least_kv_heads(config, layers),
        layers=decoder_layers(config) if config.kind in families.ENCODER_DECODERS else config.layers,
        vocab_size=config.count(VOCABULARY),
        hidden_size=config.hidden,
        head_dim=config.head_dim,
        step_inner_size=_step_inner_size(config, layers),
        vision_heads=tower.heads if tower is not None else None,
        never_cut_tower=tower is not None and tower.never_cut,
        max_context=config.count(CONTEXT),
        is_moe=(config.count(EXPERTS) or 0) > 1,
        is_mla=latent is not None,
        is_encoder=config.kind in families.ENCODERS,
        attention=attention,
        states=kept,
        blocks=_blocks(layers, read_packing(config, quant_config)),
        assumed=_assumed(config),
    )


def count_weights(config: Config, quant_config: object = None, source: str = "config.json") -> Counted:
    """The weights, counted from the numbers of the config alone; `source` is what answers call the config."""
    if part := unread_part(config):
        return Counted(problem=f"{part} of {source} may hold weights and is not understood")
    packing = read_packing(config, quant_config)
    if packing is None:
        return Counted(problem="the weights are packed in a way that is not understood")
    parameters = count_parameters(config)
    if parameters is None:
        return Counted(problem=_missing(config, source))
    kind = "" if config.is_known else f", assumed to be a gated decoder ({config.kind or 'no model_type'})"
    told = f"{source}: {parameters.total / 10**9:.3g} billion weights, {packing.name}{kind}"
    return Counted(packed_weights(parameters, packing), told)


def _missing(config: Config, source: str) -> str | None:
    tower = read_tower(config)
    if tower is not None and tower.weights is None:
        return f"{tower.name} of {source} lacks its width or its depth"
    return None


def _attention(config: Config, layers: tuple[Layer, ...] | None) -> tuple[Attention | None, States | None]:
    """What layers cache, and the states that they keep in addition; None where that is not known."""
    if config.kind in families.ENCODERS:
        return (), ()
    if config.kind in families.ENCODER_DECODERS:
        return encoder_decoder_cache(config), ()
    if layers is None:
        return None, () if config.kind not in families.HYBRID | families.STATEFUL else None
    return cached(config, layers), states(config, layers)


def _least_kv_heads(config: Config, layers: tuple[Layer, ...] | None) -> int | None:
    """The fewest KV heads of any attention layer: tensor parallel must divide every layer."""
    found = [layer.kv_heads for layer in layers or () if layer.attends and layer.kv_heads]
    return min(found, default=config.kv_heads)


def _step_inner_size(config: Config, layers: tuple[Layer, ...] | None) -> int | None:
    if layers is None:
        return config.count(INNER)
    visited = [layer.inner.experts.visited_inner for layer in layers if layer.inner.experts]
    dense = [layer.inner.dense for layer in layers]
    return max(visited, default=None) or max(dense, default=None) or None


def _blocks(layers: tuple[Layer, ...] | None, packing: Packing | None) -> Blocks | None:
    """The inner sizes that tensor parallel may cut only at the borders of FP8 blocks."""
    if packing is None or not packing.block or layers is None:
        return None
    dense = {layer.inner.dense for layer in layers} | {
        layer.inner.experts.shared for layer in layers if layer.inner.experts
    }
    experts = {layer.inner.experts.inner for layer in layers if layer.inner.experts}
    return Blocks(packing.block, tuple(sorted(dense - {0})), tuple(sorted(experts - {0})))


def _assumed(config: Config) -> str | None:
    if not config.is_known:
        kind = f"the kind {config.kind!r} is not known" if config.kind else "config.json names no model_type"
        return f"{kind}: every layer is assumed to use full attention, which is an upper bound"
    if config.kind in families.CACHE_ASSUMED:
        return f"the KV cache of {config.kind} is assumed to use full attention, which is an upper bound"
    return None
