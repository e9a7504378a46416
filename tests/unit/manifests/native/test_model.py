"""What a workload says about its model."""

from __future__ import annotations

import pytest

from bayplan.cluster.model import Architecture, ModelPart, ModelSpec
from bayplan.framework.errors import InputError
from bayplan.manifests.native.model import part, read_model
from unit.manifests.opened import opened, places

MODELS = {
    "a name": ({"name": "m"}, ModelSpec("m")),
    "a folder": ({"path": "/models/m"}, ModelSpec(path="/models/m")),
    "everything": (
        {"name": "m", "path": "p", "weights": "15623Mi", "context": "4096", "concurrency": 2, "kvDtype": "fp8",
         "kvCache": "2Gi", "overhead": 512, "loras": ["512Mi", "./lora"], "draft": 7,
         "architecture": {"heads": 32, "kvHeads": 8, "layers": 36, "vocabSize": 151936, "hiddenSize": 4096,
                          "headDim": 128, "visionHeads": 20}},
        ModelSpec("m", "p", 15623, 4096, 2, "fp8", 2048, 512, (ModelPart(512), ModelPart(path="./lora")), ModelPart(7),
                  Architecture(32, 8, 36, 151936, 4096, 128, 20))),
    "the rest of the card": ({"kvCache": "rest"}, ModelSpec(kv_rest=True)),
    "no KV cache at all": ({"kvCache": "0Gi"}, ModelSpec(kv_cache_mib=0)),
    "no vision tower": ({"architecture": {"visionHeads": 0}}, ModelSpec()),
    "null is absent": ({"weights": None, "loras": None, "draft": None, "architecture": None}, ModelSpec()),
}  # fmt: skip


@pytest.mark.parametrize(("data", "model"), MODELS.values(), ids=MODELS)
def test_model(data, model):
    fields = opened({"model": data})

    assert read_model(fields) == model
    assert not fields.findings.errors
    assert not fields.findings.warnings


REFUSED = {
    "weights": ({"weights": "big"}, ["model.weights"]),
    "a context of nothing": ({"context": 0}, ["model.context"]),
    "nobody at a time": ({"concurrency": 0}, ["model.concurrency"]),
    "no such dtype": ({"kvDtype": "fp99"}, ["model.kvDtype"]),
    "heads": ({"architecture": {"heads": 0, "layers": "x"}}, ["model.architecture.heads", "model.architecture.layers"]),
    "an adapter": ({"loras": ["512Mi", "12 apples"]}, ["model.loras[1]"]),
    "a draft": ({"draft": ["x"]}, ["model.draft"]),
    "no mapping": ("llama", ["model"]),
}


@pytest.mark.parametrize(("data", "where"), REFUSED.values(), ids=REFUSED)
def test_refused(data, where):
    fields = opened({"model": data})

    assert read_model(fields) is None
    assert places(fields) == where


def test_a_misspelt_field_is_told():
    fields = opened({"model": {"weight": 5}})
    read_model(fields)

    assert "did you mean 'weights'?" in fields.findings.warnings[0]


PARTS = {
    512: ModelPart(512),
    "512Mi": ModelPart(512),
    "adapters/a": ModelPart(path="adapters/a"),
    "7b/adapter": ModelPart(path="7b/adapter"),
    "/abs": ModelPart(path="/abs"),
}


@pytest.mark.parametrize(("value", "found"), PARTS.items())
def test_a_size_or_a_path(value, found):
    assert part(value) == found


@pytest.mark.parametrize("value", ["", "5 apples", -1, None, ["a"]])
def test_neither(value):
    with pytest.raises(InputError):
        part(value)
