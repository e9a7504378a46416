"""What one replica of a model needs, and what a card holds of it when it is divided."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bayplan.sizing.overhead import Overhead

MIB = 2**20
BLOCK_TOKENS = 64
"""A multiple of the cache blocks of every engine: 16 tokens are usual, 64 is the largest."""


@dataclass(frozen=True, slots=True)
class Need:
    """Bytes of a whole replica at tensor parallel 1, and the numbers that say how it may be cut.

    What is not known is None. `whole_bytes` is the part of the weights that every card keeps whole (a tower),
    `state_bytes` the part of `kv_bytes` that is a state of fixed size, divided over all cards. `kv_heads` is 1 where
    the cache is latent (`is_mla`): every card keeps all of it. `unknown` is None when a card's need can be told; else
    it is a sentence that names the number to give. `weight_bits` is what one weight takes at present.

    `step_tokens` and `sequences` are what overhead and windows were sized with; `step_tokens` is None where no step
    matters. `kv_given` says that the user gave the cache, `takes_rest` that the engine takes the rest of each card
    for it, `windowed` that layers with a window were counted shorter than the context, `stateful` that layers keep
    a state. `max_context` is the model's longest text.
    """

    weights_bytes: int | None = None
    kv_bytes: int | None = None
    overhead: Overhead | None = None
    whole_bytes: int = 0
    state_bytes: int = 0
    heads: int | None = None
    kv_heads: int | None = None
    layers: int | None = None
    vocab_size: int | None = None
    vision_heads: int | None = None
    block_sizes: tuple[int, ...] = ()
    block: int = 0
    is_mla: bool = False
    is_moe: bool = False
    context: int | None = None
    max_context: int | None = None
    concurrency: int = 1
    step_tokens: int | None = None
    sequences: int = 1
    kv_given: bool = False
    takes_rest: bool = False
    windowed: bool = False
    stateful: bool = False
    sources: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()
    unknown: str | None = None
    weight_bits: Fraction | None = None

    @property
    def overhead_given(self) -> bool:
        """Whether the user gave the overhead; otherwise it follows from the formula."""
        return self.overhead is not None and self.overhead.given

    def overhead_on(self, tp: int, pp: int) -> int:
        """MiB of engine and activations on each card of this division."""
        if self.overhead is None:
            raise ValueError(f"nothing can be said of a need that is unknown: {self.unknown}")
        return self.overhead.on(tp, pp)

    def card_mib(self, tp: int, pp: int) -> int:
        """MiB on a card of the largest pipeline stage; may be asked only where nothing is unknown."""
        return self.static_mib(tp, pp) + self.overhead_on(tp, pp)

    def static_mib(self, tp: int, pp: int) -> int:
        """The same without engine and activations: weights and KV cache.

        A card holds at least one whole KV head: with tp above `kv_heads`, more cards divide only weights and states.
        """
        weights, kv = self._known_bytes
        kv_heads = self.kv_heads or tp
        stage, layers = (-(-self.layers // pp), self.layers) if self.layers else (1, pp)
        cut, cache = weights - self.whole_bytes + self.state_bytes, kv - self.state_bytes
        numerator = stage * (cut * kv_heads + cache * max(tp, kv_heads))
        denominator = layers * tp * kv_heads
        return -(-(numerator + self.whole_bytes * denominator) // (denominator * MIB))

    def cache_bytes_on(self, tp: int, pp: int) -> int:
        """The KV cache of a card in whole MiB; a context is rounded up to whole cache blocks."""
        _, kv = self._known_bytes
        kv_heads = self.kv_heads or tp
        stage, layers = (-(-self.layers // pp), self.layers) if self.layers else (1, pp)
        numerator, denominator = stage * kv * max(tp, kv_heads), layers * tp * kv_heads
        if not self.kv_given and self.context:
            numerator, denominator = numerator * self.blocked_context, denominator * self.context
        return -(-numerator // (denominator * MIB)) * MIB

    @property
    def blocked_context(self) -> int:
        """The context, rounded up to the blocks of which caches are made."""
        return -(-(self.context or 0) // BLOCK_TOKENS) * BLOCK_TOKENS

    @property
    def host_mib(self) -> int:
        """What the model takes in RAM when no card holds any of it."""
        return -(-sum(self._known_bytes) // MIB) + self.overhead_on(1, 1)

    @property
    def layer_mib(self) -> Fraction | None:
        """Weights and KV cache of one layer, all layers being equally large; None where their number is unknown."""
        return Fraction(sum(self._known_bytes), self.layers * MIB) if self.layers else None

    @property
    def _known_bytes(self) -> tuple[int, int]:
        if self.weights_bytes is None or self.kv_bytes is None:
            raise ValueError(f"nothing can be said of a need that is unknown: {self.unknown}")
        return self.weights_bytes, self.kv_bytes
