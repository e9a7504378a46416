"""Models: numbers that owners give, and those that cannot be."""

from __future__ import annotations

import pytest

from bayplan.cluster.model import Architecture, ModelPart, ModelSpec
from bayplan.framework.errors import InputError

ARCHITECTURE = {
    "heads": "heads",
    "kv_heads": "kvHeads",
    "layers": "layers",
    "vocab_size": "vocabSize",
    "hidden_size": "hiddenSize",
    "head_dim": "headDim",
    "vision_heads": "visionHeads",
}
SPEC = {
    "weights_mib": "weights",
    "context": "context",
    "concurrency": "concurrency",
    "kv_cache_mib": "kvCache",
    "overhead_mib": "overhead",
}


@pytest.mark.parametrize(("field", "place"), ARCHITECTURE.items())
def test_an_architecture_has_nothing_negative(field, place):
    with pytest.raises(InputError) as caught:
        Architecture(**{field: -1})

    assert caught.value.place == place


@pytest.mark.parametrize(("field", "place"), SPEC.items())
def test_a_model_has_nothing_negative(field, place):
    with pytest.raises(InputError) as caught:
        ModelSpec(**{field: -1})

    assert caught.value.place == place


def test_what_is_not_given_is_unknown():
    spec = ModelSpec()

    assert (spec.weights_mib, spec.kv_cache_mib, spec.context, spec.architecture.heads) == (None, None, None, None)
    assert spec.concurrency is None


PARTS = {
    "neither": ({}, "give either a size or a path"),
    "both": ({"size_mib": 1, "path": "lora"}, "give either a size or a path"),
    "negative": ({"size_mib": -1}, "-1 is negative"),
}


@pytest.mark.parametrize(("fields", "message"), PARTS.values(), ids=PARTS)
def test_a_part_has_a_size_or_a_path(fields, message):
    with pytest.raises(InputError) as caught:
        ModelPart(**fields)

    assert message in caught.value.message
    assert caught.value.next


def test_a_part_of_no_size_is_a_part():
    assert ModelPart(size_mib=0).size_mib == 0
    assert ModelPart(path="lora").path == "lora"
