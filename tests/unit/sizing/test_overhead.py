from fractions import Fraction

import pytest

from bayplan.sizing.engine import Engine
from bayplan.sizing.facts import Traits
from bayplan.sizing.overhead import MIB, Overhead, Step, overhead_of, step_of

DENSE = Traits(heads=32, hidden_size=4096, step_inner_size=14336, vocab_size=128_000)
VLLM = Engine("vllm")
STATEFUL = Traits(hidden_size=4096, states=None)

STEPS = {
    "told nothing":                  (DENSE, VLLM, 1024, None, Step(8192, 256)),
    "a model with a state":          (STATEFUL, VLLM, 1024, None, Step(8192, 1)),
    "as many as are asked for":      (DENSE, VLLM, None, 12, Step(8192, 12)),
    "a flag before the field":       (DENSE, Engine("vllm", concurrency=64), None, 12, Step(8192, 64)),
    "a flag for the tokens":         (DENSE, Engine("sglang", batch_tokens=2048), 1_000_000, None, Step(2048, 256)),
    "no fewer tokens than sequences": (DENSE, Engine("vllm", batch_tokens=100, concurrency=300), None, 1,
                                       Step(300, 300)),
    "a text that is read whole":     (DENSE, Engine("vllm", chunked_prefill=False), 20_000, 1, Step(20_000, 1)),
    "an encoder":                    (Traits(is_encoder=True), VLLM, 20_000, 1, Step(20_000, 1)),
    "a short text that is read whole": (Traits(is_encoder=True), VLLM, 512, 1, Step(8192, 1)),
    "llama.cpp":                     (DENSE, Engine("llama-cpp"), 100_000, 4, Step(512, 4)),
    "a smaller batch of llama.cpp":  (DENSE, Engine("llama-cpp", batch_tokens=256), None, None, Step(256, 1)),
    "a smaller ubatch of llama.cpp": (DENSE, Engine("llama-cpp", ubatch_tokens=128), None, None, Step(128, 1)),
}  # fmt: skip


@pytest.mark.parametrize(("traits", "engine", "context", "concurrency", "step"), STEPS.values(), ids=STEPS)
def test_what_a_step_takes(traits, engine, context, concurrency, step):
    assert step_of(traits, engine, context, concurrency) == step


def mib(size_bytes):
    return -(-size_bytes // MIB)


LAYERS = mib(Fraction(5, 2) * 8192 * (4 * 4096 + 3 * 14336))
ON_ONE = {
    "driver, graphs and a step":   (DENSE, VLLM, Step(8192, 1), 410 + 512 + LAYERS),
    "SGLang is the same":          (DENSE, Engine("sglang"), Step(8192, 1), 410 + 512 + LAYERS),
    "custom is the same":          (DENSE, Engine("custom"), Step(8192, 1), 410 + 512 + LAYERS),
    "no graphs":                   (DENSE, Engine("vllm", eager=True), Step(8192, 1), 410 + LAYERS),
    "logits that are more":        (DENSE, VLLM, Step(8192, 1024), 922 + mib(48 * 1024 * 128_000)),
    "experts that a token visits": (Traits(hidden_size=2048, step_inner_size=8 * 768), VLLM,
                                    Step(8192, 1), 922 + mib(Fraction(5, 2) * 8192 * (4 * 2048 + 3 * 8 * 768))),
    "nothing known":               (Traits(), VLLM, Step(8192, 256), 922 + 2560),
    "llama.cpp: words":            (DENSE, Engine("llama-cpp"), Step(512, 1), 350 + mib(4 * 512 * (128_000 + 4096))),
    "llama.cpp: layers":           (Traits(hidden_size=4096, step_inner_size=14336, vocab_size=32_000),
                                    Engine("llama-cpp"), Step(512, 1), 350 + mib(4 * 512 * (4 * 4096 + 3 * 14336))),
    "llama.cpp: scores are kept":  (DENSE, Engine("llama-cpp", flash_attention=False), Step(512, 1),
                                    350 + 4 * 512 * 8192 * 32 // MIB + mib(4 * 512 * (128_000 + 4096))),
}  # fmt: skip


@pytest.mark.parametrize(("traits", "engine", "step", "expected"), ON_ONE.values(), ids=ON_ONE)
def test_the_overhead_of_one_card(traits, engine, step, expected):
    assert overhead_of(traits, engine, step, 8192)[0].on(1, 1) == expected


def test_several_cards_have_collectives_and_share_the_inner_products():
    overhead, _ = overhead_of(DENSE, VLLM, Step(8192, 1), None)

    assert overhead.on(1, 2) == 820 + 512 + LAYERS
    assert overhead.on(4, 1) == 820 + 512 + mib(Fraction(5, 2) * 8192 * (4 * 4096 + 3 * 14336 // 4))


def test_what_is_given_is_the_same_on_every_card():
    assert [Overhead.of(77).on(*shape) for shape in ((1, 1), (8, 4))] == [77, 77]


def test_the_source_says_what_was_assumed():
    assert overhead_of(DENSE, VLLM, Step(8192, 2), None)[1] == (
        "formula: 8,192 tokens in a step, hidden size 4,096, 2 sequences"
    )
    assert "hidden size 8,192 (assumed)" in overhead_of(Traits(), VLLM, Step(100, 1), None)[1]
