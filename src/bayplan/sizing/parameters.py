"""The weights of a model that has no weight files: counted from the numbers of its config.json."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from bayplan.sizing import families
from bayplan.sizing.attention import attention_matrices
from bayplan.sizing.encoder_decoder import encoder_decoder_matrices, encoder_decoder_words
from bayplan.sizing.facts import Held, Weights
from bayplan.sizing.field_names import CONTEXT, VOCABULARY
from bayplan.sizing.layers import read_layers
from bayplan.sizing.states import STATE_MIXERS, build, states
from bayplan.sizing.towers import audio_weights, read_tower

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.sizing.config_json import Config
    from bayplan.sizing.experts import ExpertSizes
    from bayplan.sizing.layer_kinds import Mixer
    from bayplan.sizing.layers import Layer
    from bayplan.sizing.quantization import Packing

MXFP4_PADDING = Fraction(9, 100)
"""The part that vLLM adds to MXFP4 experts when it pads them to the shapes of its kernels."""

_ATTENTIONS = {"longcat_flash": 2}
"""Kinds with several attention blocks per layer, each with a feed-forward layer of its own."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """Weights of one module inside a layer."""

    module: str
    weights: int
    is_expert: bool = False


@dataclass(frozen=True, slots=True)
class Parameters:
    """Weights outside of layers, of towers, and of each matrix inside layers. Norms and biases are not counted."""

    outer: int
    tower: int
    matrices: tuple[Matrix, ...]

    @property
    def total(self) -> int:
        return self.outer + self.tower + sum(matrix.weights for matrix in self.matrices)


def count_parameters(config: Config) -> Parameters | None:
    """All weights of a model by its config; None where a number is missing."""
    tower = read_tower(config)
    if tower is not None and tower.weights is None:
        return None
    seen = (tower.weights or 0 if tower is not None else 0) + audio_weights(config)
    if config.kind in families.ENCODER_DECODERS:
        return _encoder_decoder(config, seen)
    layers, words = read_layers(config), _words(config)
    if layers is None or words is None or states(config, layers) is None:
        return None
    matrices: list[Matrix] = []
    known: dict[Layer, tuple[Matrix, ...]] = {}
    routers = 0
    for number, layer in enumerate(layers):
        if layer not in known:
            known[layer] = tuple(_layer(config, layer))
        begin = f"model.layers.{number}."
        matrices += [Matrix(begin + each.module, each.weights, each.is_expert) for each in known[layer]]
        routers += layer.inner.experts.count * (config.hidden or 0) if layer.inner.experts else 0
    return Parameters(words + routers + _more_words(config, len(layers)), seen, tuple(matrices))


def _encoder_decoder(config: Config, seen: int) -> Parameters | None:
    matrices, words = encoder_decoder_matrices(config), encoder_decoder_words(config)
    if matrices is None or words is None:
        return None
    return Parameters(words, seen, tuple(Matrix(module, weights) for module, weights in matrices.items()))


def _words(config: Config) -> int | None:
    vocabulary, hidden = config.count(VOCABULARY), config.hidden
    if vocabulary is None or hidden is None:
        return None
    if config.kind in families.ENCODERS:
        more = (config.count(CONTEXT) or 0) + (config.count(("type_vocab_size",)) or 0)
        return hidden * (vocabulary + more)
    return vocabulary * hidden * (1 if config.ties_words else 2)


def _more_words(config: Config, layers: int) -> int:
    """Embeddings that gemma3n and later kinds look up again in every layer, with their projections."""
    width = config.count(("hidden_size_per_layer_input",))
    vocabulary = config.count(("vocab_size_per_layer_input",))
    if width is None or vocabulary is None:
        return 0
    hidden = config.hidden or 0
    return layers * (vocabulary * width + 2 * hidden * ((config.count(("laurel_rank",)) or 0) + width))


def _layer(config: Config, layer: Layer) -> Iterator[Matrix]:
    """The matrices of a layer by name; equal layers have equal matrices."""
    hidden = config.hidden or 0
    times = _ATTENTIONS.get(config.kind, 1)
    if layer.attends:
        for name, weights in attention_matrices(config, layer).items():
            yield Matrix(f"self_attn.{name}", times * weights)
    for mixer in (layer.kind.mixer, layer.kind.beside):
        yield from _state(config, mixer)
    if layer.squares:
        yield Matrix("linear", layer.squares * hidden**2)
    sides = 2 if config.kind in families.TWO_MATRICES else 3
    dense = layer.inner.dense or (_beside_experts(config) if layer.inner.experts else 0)
    for name in ("gate_proj", "up_proj", "down_proj")[3 - sides :] if dense else ():
        yield Matrix(f"mlp.{name}", times * hidden * dense)
    if layer.inner.experts is not None:
        yield from _experts(layer.inner.experts, hidden, sides)


def _beside_experts(config: Config) -> int:
    """LongCat has dense inner layers besides its experts."""
    return (config.count(("ffn_hidden_size", "intermediate_size")) or 0) if config.kind in _ATTENTIONS else 0


def _state(config: Config, mixer: Mixer | None) -> Iterator[Matrix]:
    if mixer is None or mixer not in STATE_MIXERS:
        return
    built = build(config, mixer)
    for name, weights in built[0].items() if built is not None else ():
        yield Matrix(name, weights)


def _experts(experts: ExpertSizes, hidden: int, sides: int) -> Iterator[Matrix]:
    for name in ("gate_proj", "up_proj", "down_proj")[3 - sides :]:
        yield Matrix(f"mlp.experts.0.{name}", hidden * experts.inner_sum, is_expert=True)
        if experts.shared:
            yield Matrix(f"mlp.shared_experts.{name}", hidden * experts.shared)


def packed_weights(parameters: Parameters, packing: Packing) -> Weights:
    """Bytes of counted weights, as each engine holds them."""
    plain = parameters.outer
    packed, padded = Fraction(0), Fraction(0)
    for matrix in parameters.matrices:
        bits = None if packing.is_plain else packing.bits(matrix.module, expert=matrix.is_expert)
        if bits is None:
            plain += matrix.weights
        else:
            packed += matrix.weights * bits
            padded += matrix.weights * bits if matrix.is_expert and packing.pads else 0

    def held(bits: Fraction) -> Held:
        return Held(_bytes((plain + parameters.tower) * bits + packed), _bytes(parameters.tower * bits))

    half, single = Fraction(16), Fraction(32)
    return Weights(held(packing.plain), held(min(packing.plain, half)), held(single), _bytes(padded * MXFP4_PADDING))


def _bytes(bits: Fraction) -> int:
    return -(-bits.numerator // (bits.denominator * 8))
