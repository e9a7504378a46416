import pytest

from bayplan.routing.endpoints.endpoint import Endpoint
from bayplan.routing.exposition.engine import Engine
from bayplan.signals.scraping.engine_choice import EngineChoice

CASES = {
    "no label": ({}, "vllm"),
    "the label": ({"llm-d.ai/engine-type": "sglang"}, "sglang"),
    "the older label": ({"inference.networking.k8s.io/engine-type": "triton"}, "triton"),
    "both labels": ({"inference.networking.k8s.io/engine-type": "x", "llm-d.ai/engine-type": "sglang"}, "sglang"),
    "an empty label": ({"llm-d.ai/engine-type": ""}, "vllm"),
    "an engine that nobody knows": ({"llm-d.ai/engine-type": "warp"}, "vllm"),
    "an engine of the configuration": ({"llm-d.ai/engine-type": "mine"}, "mine"),
}


@pytest.mark.parametrize(("labels", "engine"), CASES.values(), ids=CASES)
def test_engines(labels, engine):
    choice = EngineChoice(own={"mine": Engine("mine")})

    assert choice.of(Endpoint("a", "10.0.0.1", labels=labels)).name == engine


def test_another_default():
    assert EngineChoice(default="sglang").of(Endpoint("a", "10.0.0.1")).name == "sglang"
