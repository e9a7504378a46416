"""What sizing costs: the headers of a 70B model in thirty shards, from the files to the Estimate."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tests.unit.sizing.writers import write_config, write_safetensors

from bayplan.library.estimate import estimate
from bench.measure import Row, interleaved

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROUNDS = 5
GOAL_S = 0.3
SHARDS = 30
LAYERS = 80
HIDDEN = 8192
INNER = 28672
KEYS = 1024
VOCABULARY = 128256

Tensors = dict[str, tuple[str, list[int]]]


def rows(say: Callable[[str], None]) -> Iterator[Row]:
    """One row: CPU seconds of one call."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_model(folder)
        seconds = interleaved({"estimate": lambda: lambda: estimate(path=name, context=8192)}, ROUNDS)["estimate"]
    yield Row("estimate/70b-sharded", seconds, "s", GOAL_S, "<=")


def write_model(folder: Path) -> None:
    """Whole headers, an index, a config, and sparse files where the weights would be."""
    tensors = _tensors()
    names = list(tensors)
    weight_map: dict[str, str] = {}
    for shard in range(SHARDS):
        file = f"model-{shard + 1:05}-of-{SHARDS:05}.safetensors"
        part = {tensor: tensors[tensor] for tensor in names[shard::SHARDS]}
        write_safetensors(folder / file, part)
        weight_map |= dict.fromkeys(part, file)
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weight_map}), encoding="utf-8")
    write_config(folder, hidden_size=HIDDEN, intermediate_size=INNER, num_hidden_layers=LAYERS, num_attention_heads=64)


def _tensors() -> Tensors:
    ends = {
        "model.embed_tokens.weight": [VOCABULARY, HIDDEN],
        "lm_head.weight": [VOCABULARY, HIDDEN],
        "model.norm.weight": [HIDDEN],
    }
    layer = {
        "self_attn.q_proj": [HIDDEN, HIDDEN],
        "self_attn.k_proj": [KEYS, HIDDEN],
        "self_attn.v_proj": [KEYS, HIDDEN],
        "self_attn.o_proj": [HIDDEN, HIDDEN],
        "mlp.gate_proj": [INNER, HIDDEN],
        "mlp.up_proj": [INNER, HIDDEN],
        "mlp.down_proj": [HIDDEN, INNER],
        "input_layernorm": [HIDDEN],
        "post_attention_layernorm": [HIDDEN],
    }
    layers = {
        f"model.layers.{number}.{name}.weight": shape for number in range(LAYERS) for name, shape in layer.items()
    }
    return {name: ("BF16", shape) for name, shape in (ends | layers).items()}
