"""Encoders with a decoder: their weights, and the two caches of the decoder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.sizing.config_json import MOST_LAYERS
from bayplan.sizing.facts import KvLayers
from bayplan.sizing.field_names import INNER, VOCABULARY

if TYPE_CHECKING:
    from bayplan.sizing.config_json import Config
    from bayplan.sizing.facts import Attention

WHISPER_FRAMES = 1500  # 30 seconds of audio: the encoder gives one frame per 20 ms
_DECODER = ("decoder_layers", "num_decoder_layers", "num_hidden_layers", "num_layers", "n_layer")
_ENCODER = ("encoder_layers", "num_layers", "num_hidden_layers", "n_layer")


def decoder_layers(config: Config) -> int | None:
    """The number of decoder layers; None where the config does not state it."""
    return config.count(_DECODER, most=MOST_LAYERS)


def encoder_decoder_cache(config: Config) -> Attention | None:
    """The cache of the decoder: its own tokens and the output of the encoder (audio: at most one window of frames)."""
    layers, heads, width = decoder_layers(config), config.heads, config.head_dim
    if layers is None or heads is None or width is None:
        return None
    frames = (config.count(("max_source_positions",)) or WHISPER_FRAMES) if config.kind == "whisper" else None
    values = 2 * heads * width
    return KvLayers(layers, values), KvLayers(layers, values, fixed_tokens=frames)


def encoder_decoder_matrices(config: Config) -> dict[str, int] | None:
    """Weights of all layers; a decoder layer attends twice: to its own tokens and to the encoder."""
    hidden, heads, width = config.hidden, config.heads, config.head_dim
    encoder, decoder = config.count(_ENCODER, most=MOST_LAYERS), decoder_layers(config)
    if hidden is None or heads is None or width is None or encoder is None or decoder is None:
        return None
    gated = config.text.flag("is_gated_act") or config.text.text("feed_forward_proj").startswith("gated")
    inner = (3 if gated else 2) * hidden * (config.count(INNER) or 4 * hidden)
    once = 4 * hidden * heads * width
    return {"model.encoder.layers": encoder * (once + inner), "model.decoder.layers": decoder * (2 * once + inner)}


def encoder_decoder_words(config: Config) -> int | None:
    """Weights of the word matrices: one matrix, unless the config states that input and output are not tied."""
    vocabulary, hidden = config.count(VOCABULARY), config.hidden
    if vocabulary is None or hidden is None:
        return None
    return vocabulary * hidden * (1 if config.root.flag("tie_word_embeddings", absent=True) else 2)
