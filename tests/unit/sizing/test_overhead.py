import pytest

from bayplan.sizing.engine import Engine
from bayplan.sizing.facts import Traits
from bayplan.sizing.overhead import activations_mib

DENSE = Traits(hidden_size=4096, intermediate_size=14336)

ACTIVATIONS = {
    "a full batch":               (DENSE, Engine("vllm"), None, 1, 704),
    "a short context":            (DENSE, Engine("vllm"), 1024, 2, 176),
    "the engine's own batch":     (DENSE, Engine("vllm", batch_tokens=2048), None, 1, 176),
    "small steps of llama.cpp":   (DENSE, Engine("llama-cpp"), None, 1, 44),
    "experts that a token visits": (Traits(hidden_size=4096, intermediate_size=14336, experts_per_token=2),
                                    Engine("vllm"), None, 1, 1152),
    "logits of every sequence":   (Traits(hidden_size=4096, intermediate_size=14336, vocab_size=2**17),
                                   Engine("vllm"), None, 64, 704 + 64),
    "nothing known":              (Traits(), Engine("vllm"), None, 1, 1536),
}  # fmt: skip


@pytest.mark.parametrize(("traits", "engine", "context", "concurrency", "mib"), ACTIVATIONS.values(), ids=ACTIVATIONS)
def test_activations(traits, engine, context, concurrency, mib):
    assert activations_mib(traits, engine, context, concurrency)[0] == mib


def test_the_source_says_what_was_assumed():
    assert activations_mib(DENSE, Engine("vllm"), None, 1)[1] == "formula: 8,192 tokens in a step, hidden size 4,096"
    assert activations_mib(Traits(), Engine("vllm"), 100, 1)[1].endswith("hidden size 8,192 (assumed)")
