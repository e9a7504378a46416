"""Published models by name."""

from __future__ import annotations

import pytest

import bayplan
from bayplan.manifests.model_catalogue import all_models, catalogued, nearest_name

MODELS = {model.name: model for model in all_models()}
COUNTED = {name: model for name, model in MODELS.items() if model.billion is not None}
WITHIN = 0.03  # norms, biases and small heads are not counted


def test_the_most_used_models_are_there():
    assert len({str(model.config) for model in MODELS.values()}) >= 60
    assert len(MODELS) == len(all_models()), "no name stands twice"


@pytest.mark.parametrize("name", COUNTED)
def test_weights_are_those_that_were_published(name):
    """vLLM holds 16 bits of each."""
    model = COUNTED[name]
    answer = bayplan.estimate(name=name, context=512, backend="vllm")

    assert answer["weights_mib"] * 2**20 / 2e9 == pytest.approx(model.billion, rel=WITHIN)


@pytest.mark.parametrize("name", MODELS)
def test_everything_is_known_of_a_catalogued_model(name):
    answer = bayplan.estimate(name=name, concurrency=1)

    assert None not in (answer["weights_mib"], answer["kv_mib"], answer["total_mib"])
    assert "catalogue" in answer["sources"]["weights_mib"]
    assert f"catalogue entry {name}" == answer["sources"]["architecture"]
    assert not any("assumed" in warning for warning in answer["warnings"])


PACKED = {
    "deepseek-ai/DeepSeek-R1": 671,
    "openai/gpt-oss-120b": 66,
    "Qwen/Qwen2.5-7B-Instruct-AWQ": 5.57,
    "Qwen/Qwen3-235B-A22B-FP8": 236,
}


@pytest.mark.parametrize(("name", "gigabytes"), PACKED.items(), ids=PACKED)
def test_packed_weights(name, gigabytes):
    answer = bayplan.estimate(name=name, context=512, backend="custom")

    assert answer["weights_mib"] * 2**20 / 1e9 == pytest.approx(gigabytes, rel=0.04)


NAMES = {
    "full":          ("Qwen/Qwen2.5-7B-Instruct", "Qwen/Qwen2.5-7B-Instruct"),
    "any case":      ("qwen/qwen2.5-7b-INSTRUCT", "Qwen/Qwen2.5-7B-Instruct"),
    "without owner": ("llama-3.1-8b-instruct", "meta-llama/Llama-3.1-8B-Instruct"),
    "other owner":   ("somebody/Qwen2.5-7B-Instruct", None),
    "packed":        ("Qwen/Qwen2.5-7B-Instruct-GGUF", None),
    "nothing":       ("", None),
}  # fmt: skip


@pytest.mark.parametrize(("name", "found"), NAMES.values(), ids=NAMES)
def test_names(name, found):
    model = catalogued(name)

    assert (model and model.name) == found


def test_the_nearest_name():
    assert nearest_name("Qwen/Qwen2.5-7B-Instuct") == "Qwen/Qwen2.5-7B-Instruct"
    assert nearest_name("zzzzzzzzzz") is None


FLEET = {"workers": [{"name": "a", "gpus": {"count": 2, "model": "H100", "memory": "80Gi"}}]}


def test_a_named_model_is_planned():
    model = {"name": "meta-llama/Llama-3.1-8B-Instruct", "context": 8192}
    plan = bayplan.plan({"metadata": {"name": "x"}, "spec": {"model": model, "backend": {"name": "vllm"}}}, FLEET)

    assert plan["verdict"] == "fits"


def test_a_name_that_is_not_there_is_an_unknown_need_with_the_next_step():
    model = {"name": "meta-llama/Llama-3.1-9B-Instruct", "context": 8192}
    plan = bayplan.plan({"metadata": {"name": "x"}, "spec": {"model": model, "backend": {"name": "vllm"}}}, FLEET)

    assert (plan["verdict"], [each["code"] for each in plan["rejections"]]) == ("infeasible", ["unknown-need"])
    told = next(warning for warning in plan["warnings"] if "catalogue" in warning)
    assert "did you mean meta-llama/Llama-3.1-8B-Instruct?" in told
    assert "give model.path or model.weights" in told


def test_numbers_of_the_owner_go_before_the_catalogue():
    answer = bayplan.estimate(name="meta-llama/Llama-3.1-8B-Instruct", weights="5Gi", context=8192)

    assert answer["weights_mib"] == 5 * 1024
    assert answer["kv_mib"] == 1024


def test_numbers_that_are_enough_leave_the_catalogue_alone():
    answer = bayplan.estimate(name="meta-llama/Llama-3.1-8B-Instruct", weights="5Gi", kvCache="1Gi", overhead="1Gi")

    assert "architecture" not in answer["sources"]
