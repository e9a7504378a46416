from __future__ import annotations

import json
from dataclasses import replace

from bayplan.cluster.model import ModelPart, ModelSpec
from bayplan.cluster.workload import Shape
from bayplan.library.requests import sized_shape
from bayplan.library.resizing import Resizing

CONFIG = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 2048, "intermediate_size": 8192,
    "num_attention_heads": 32, "num_key_value_heads": 8, "num_hidden_layers": 16, "vocab_size": 128256,
    "torch_dtype": "bfloat16", "max_position_embeddings": 8192,
}  # fmt: skip


def model(folder, **others):
    (folder / "config.json").write_text(json.dumps(CONFIG))
    return Shape(model=ModelSpec(path=str(folder), **others))


def test_the_same_as_reading_everything_again(tmp_path):
    shape = model(tmp_path, context=1024)

    assert Resizing()(shape) == sized_shape(shape)
    assert Resizing()(Shape(cpu_milli=1)) == sized_shape(Shape(cpu_milli=1))


def test_files_are_read_once(tmp_path):
    shape, resize = model(tmp_path, context=1024), Resizing()
    first = resize(shape)

    (tmp_path / "config.json").unlink()

    half = resize(replace(shape, model=replace(shape.model, context=512)))
    assert half.need.kv_bytes * 2 == first.need.kv_bytes


def test_an_adapter_that_was_not_read_yet(tmp_path):
    (tmp_path / "lora").mkdir()
    (tmp_path / "lora" / "adapter.bin").write_bytes(b"x" * 2**20)
    shape, resize = model(tmp_path, context=1024), Resizing()
    bare = resize(shape).need.weights_bytes

    lora = ModelPart(path=str(tmp_path / "lora" / "adapter.bin"))
    assert resize(replace(shape, model=replace(shape.model, loras=(lora,)))).need.weights_bytes == bare + 2**20
