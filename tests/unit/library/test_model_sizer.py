from __future__ import annotations

import json
from dataclasses import replace

from bayplan.cluster.model import ModelPart, ModelSpec
from bayplan.cluster.workload import GpuRequest, Shape
from bayplan.library.model_sizer import ModelSizer

CONFIG = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 2048, "intermediate_size": 8192,
    "num_attention_heads": 32, "num_key_value_heads": 8, "num_hidden_layers": 16, "vocab_size": 128256,
    "torch_dtype": "bfloat16", "max_position_embeddings": 8192,
}  # fmt: skip


def model(folder, **others):
    (folder / "config.json").write_text(json.dumps(CONFIG))
    return Shape(model=ModelSpec(path=str(folder), **others))


def test_a_shape_without_a_model_has_no_need():
    assert ModelSizer()(Shape(cpu_milli=1)).need is None


def test_a_model_that_is_only_a_label_of_counted_cards_has_no_need():
    named = Shape(model=ModelSpec(name="chat"), gpus=GpuRequest(1))

    assert ModelSizer()(named).need is None
    assert ModelSizer()(replace(named, gpus=None)).need is not None


def test_models_without_files_are_told_apart_by_name():
    sizer = ModelSizer()
    small, large = (
        sizer(Shape(model=ModelSpec(name=name, context=1024))).need.weights_bytes
        for name in ("Qwen/Qwen2.5-0.5B-Instruct", "Qwen/Qwen2.5-7B-Instruct")
    )

    assert small < large


def test_files_are_read_once(tmp_path):
    shape, resize = model(tmp_path, context=1024), ModelSizer()
    first = resize(shape)

    (tmp_path / "config.json").unlink()

    half = resize(replace(shape, model=replace(shape.model, context=512)))
    assert half.need.kv_bytes * 2 == first.need.kv_bytes


def test_an_adapter_that_was_not_read_yet(tmp_path):
    (tmp_path / "lora").mkdir()
    (tmp_path / "lora" / "adapter.bin").write_bytes(b"x" * 2**20)
    shape, resize = model(tmp_path, context=1024), ModelSizer()
    bare = resize(shape).need.weights_bytes

    lora = ModelPart(path=str(tmp_path / "lora" / "adapter.bin"))
    assert resize(replace(shape, model=replace(shape.model, loras=(lora,)))).need.weights_bytes == bare + 2**20
