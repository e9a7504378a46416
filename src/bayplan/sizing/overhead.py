"""Memory of a card besides weights and KV cache: the driver, captured graphs and the activations of a step."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from bayplan.sizing.engine import USUAL_BATCH_TOKENS

if TYPE_CHECKING:
    from bayplan.sizing.engine import Engine
    from bayplan.sizing.facts import Traits

MIB: Final = 2**20

DRIVER_MIB: Final = 410  # the CUDA context; docs/estimate.md has the whole formula
TOGETHER_MIB: Final = 820
"""The driver and the buffers of collectives, where a replica has several cards."""

GRAPHS_MIB: Final = 512  # CUDA graphs; none with --enforce-eager or --disable-cuda-graph
LLAMA_CPP_MIB: Final = 350  # llama.cpp has no graphs and no collectives
ASSUMED_HIDDEN_SIZE: Final = 8192
"""The hidden size of a 70B model, for models that state none: assuming a smaller one could promise too much."""

USUAL_STEP_TOKENS: Final = 8192  # where no flag sets the tokens of a step
USUAL_SEQUENCES: Final = 256  # where neither a flag nor `concurrency` sets it

STREAM_BYTES: Final = Fraction(5, 2)
"""Bytes per value of a step, measured from logs of vLLM: 16 bits, and a quarter more for buffers."""

LOGIT_BYTES: Final = 48
"""Bytes per word of the vocabulary and sequence; logs of vLLM show 33 to 47."""


@dataclass(frozen=True, slots=True)
class Overhead:
    """MiB on each card; a constant where the user gave it.

    A step takes `stream_bytes` and its share of `inner_bytes`, which tensor parallel divides, or `logit_bytes`,
    whichever is more; never both, because logits are computed after the layers are done.
    """

    alone_mib: int = 0
    together_mib: int = 0
    stream_bytes: Fraction = Fraction(0)
    inner_bytes: Fraction = Fraction(0)
    logit_bytes: int = 0
    given: bool = False

    @classmethod
    def of(cls, given_mib: int) -> Overhead:
        """The overhead that the user gave: the same for every division."""
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
    """The step that the flags set. The context does not limit it: engines measure their largest step without it."""
    if engine.name == "llama-cpp":
        return Step(min(engine.ubatch_tokens, engine.batch_tokens or USUAL_BATCH_TOKENS), concurrency or 1)
    usual = 1 if traits.is_stateful else USUAL_SEQUENCES
    sequences = engine.concurrency or concurrency or usual
    tokens = max(engine.batch_tokens or USUAL_STEP_TOKENS, sequences)
    if traits.is_encoder or not engine.chunked_prefill:
        tokens = max(tokens, context or 0)
    return Step(tokens, sequences)


def overhead_of(traits: Traits, engine: Engine, step: Step, context: int | None) -> tuple[Overhead, str]:
    """The overhead by the formula, and where its step comes from. It is never below what engines report."""
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
