"""What a card keeps beside weights and KV cache where nobody says it: the engine itself and its activations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.sizing.need import MIB

if TYPE_CHECKING:
    from bayplan.sizing.engine import Engine, EngineName
    from bayplan.sizing.facts import Traits

ENGINE_MIB: dict[EngineName, int] = {"vllm": 1024, "sglang": 1024, "llama-cpp": 512, "custom": 512}
"""Context of the driver, kernels, buffers of collectives and captured graphs."""

BATCH_TOKENS: dict[EngineName, int] = {"vllm": 8192, "sglang": 8192, "llama-cpp": 512, "custom": 2048}
"""Tokens that go through the model in one step, unless a flag or a shorter context says less."""

ASSUMED_HIDDEN_SIZE = 8192
"""Of a model that nobody described: that of 70 billion parameters, so that small ones are not promised too much."""


def activations_mib(traits: Traits, engine: Engine, context: int | None, concurrency: int) -> tuple[int, str]:
    """MiB of the largest moment of a step, and how they come about.

    In 16 bits: four copies of the residual stream and the two inner products of the experts that a token visits,
    for every token of the batch; and in 32 bits twice the logits of every sequence. Nothing of it is divided: how
    much of it tensor parallel saves differs from engine to engine.
    """
    hidden = traits.hidden_size or ASSUMED_HIDDEN_SIZE
    inner = (traits.intermediate_size or 4 * hidden) * max(1, traits.experts_per_token)
    tokens = engine.batch_tokens or BATCH_TOKENS[engine.name]
    if context is not None:
        tokens = min(tokens, context * concurrency)
    in_bytes = 2 * tokens * (4 * hidden + 2 * inner) + 8 * concurrency * (traits.vocab_size or 0)
    assumed = "" if traits.hidden_size else " (assumed)"
    return -(-in_bytes // MIB), f"formula: {tokens:,} tokens in a step, hidden size {hidden:,}{assumed}"
