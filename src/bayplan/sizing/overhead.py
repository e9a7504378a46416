"""What a card keeps besides weights and KV cache: the driver, captured graphs and the largest moment of a step."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from bayplan.sizing.engine import USUAL_BATCH_TOKENS

if TYPE_CHECKING:
    from bayplan.sizing.engine import Engine
    from bayplan.sizing.facts import Traits

MIB: Final = 2**20

DRIVER_MIB: Final = 410
TOGETHER_MIB: Final = 820
"""The driver, and with it the buffers of the collectives where a replica has several cards."""

GRAPHS_MIB: Final = 512
LLAMA_CPP_MIB: Final = 350
ASSUMED_HIDDEN_SIZE: Final = 8192
"""Of a model that has no numbers: that of 70 billion weights, so that small ones are not promised too much."""

USUAL_STEP_TOKENS: Final = 8192
USUAL_SEQUENCES: Final = 256

STREAM_BYTES: Final = Fraction(5, 2)
"""Bytes of each value of a step, by logs of vLLM: 16 bits and a quarter for what is kept besides."""

LOGIT_BYTES: Final = 48
"""Bytes of a word of the vocabulary for each sequence; vLLM shows 33 to 47."""


@dataclass(frozen=True, slots=True)
class Overhead:
    """MiB of each card, a constant where the user gave it.

    A step takes `stream_bytes` and its share of `inner_bytes`, which tensor parallel divides, or `logit_bytes`,
    whichever is more; never both, because the logits come when the layers are done.
    """

    alone_mib: int = 0
    together_mib: int = 0
    stream_bytes: Fraction = Fraction(0)
    inner_bytes: Fraction = Fraction(0)
    logit_bytes: int = 0
    given: bool = False

    @classmethod
    def of(cls, given_mib: int) -> Overhead:
        """As the user says, whatever the division."""
        return cls(given_mib, given_mib, given=True)

    def on(self, tp: int, pp: int) -> int:
        """MiB of a card of this division."""
        return (self.alone_mib if tp * pp == 1 else self.together_mib) + self.step_mib(tp)

    def step_mib(self, tp: int) -> int:
        """The part of it that a step takes."""
        most = max(self.stream_bytes + self.inner_bytes / tp, Fraction(self.logit_bytes))
        return -(-most // MIB)

    def plus(self, more_mib: int) -> Overhead:
        return replace(self, alone_mib=self.alone_mib + more_mib, together_mib=self.together_mib + more_mib)


@dataclass(frozen=True, slots=True)
class Step:
    """Tokens and sequences that an engine takes through the model at once."""

    tokens: int
    sequences: int


def step_of(traits: Traits, engine: Engine, context: int | None, concurrency: int | None) -> Step:
    """As flags say; the context cuts neither, because engines measure their largest step without looking at it."""
    if engine.name == "llama-cpp":
        return Step(min(engine.ubatch_tokens, engine.batch_tokens or USUAL_BATCH_TOKENS), concurrency or 1)
    usual = 1 if traits.is_stateful else USUAL_SEQUENCES
    sequences = engine.concurrency or concurrency or usual
    tokens = max(engine.batch_tokens or USUAL_STEP_TOKENS, sequences)
    if traits.is_encoder or not engine.chunked_prefill:
        tokens = max(tokens, context or 0)
    return Step(tokens, sequences)


def overhead_of(traits: Traits, engine: Engine, step: Step, context: int | None) -> tuple[Overhead, str]:
    """By the formula, and how its step comes about; one-sided: never below what engines report."""
    hidden = traits.hidden_size or ASSUMED_HIDDEN_SIZE
    inner = traits.step_inner_size or 4 * hidden
    vocabulary = traits.vocab_size or 0
    assumed = "" if traits.hidden_size else " (assumed)"
    words = f"formula: {step.tokens:,} tokens in a step, hidden size {hidden:,}{assumed}"
    if engine.name == "llama-cpp":
        each = 4 * step.tokens
        scores = 0 if engine.flash_attention else each * (context or 0) * (traits.heads or 0)
        driver_mib = LLAMA_CPP_MIB - (-scores // MIB)
        layers, logits = Fraction(each * (4 * hidden + 3 * inner)), each * (vocabulary + hidden)
        return Overhead(driver_mib, driver_mib, layers, logit_bytes=logits), words
    graphs_mib = 0 if engine.eager else GRAPHS_MIB
    return Overhead(
        DRIVER_MIB + graphs_mib,
        TOGETHER_MIB + graphs_mib,
        STREAM_BYTES * step.tokens * 4 * hidden,
        STREAM_BYTES * step.tokens * 3 * inner,
        LOGIT_BYTES * step.sequences * vocabulary,
    ), f"{words}, {step.sequences:,} sequences"
