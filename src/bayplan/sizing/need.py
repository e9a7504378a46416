"""What one replica of a model needs, and what a card holds of it when it is divided."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

MIB = 2**20


@dataclass(frozen=True, slots=True)
class Need:
    """Bytes of a whole replica at tensor parallel 1, and the numbers that say how it may be cut.

    What nobody told is None. `overhead_mib` is what each card keeps for engine and activations together, of which
    `activations_mib` is a part. `kv_heads` is 1 where the cache is latent (`is_mla`): every card keeps all of it.
    `unknown` is None when a card's need can be told; else it is a sentence that names the number to give.
    `weight_bits` is what one weight takes at present.
    """

    weights_bytes: int | None = None
    kv_bytes: int | None = None
    overhead_mib: int | None = None
    activations_mib: int | None = None
    heads: int | None = None
    kv_heads: int | None = None
    layers: int | None = None
    vocab_size: int | None = None
    vision_heads: int | None = None
    is_mla: bool = False
    is_moe: bool = False
    context: int | None = None
    concurrency: int = 1
    sources: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()
    unknown: str | None = None
    weight_bits: Fraction | None = None

    def card_mib(self, tp: int, pp: int) -> int:
        """What a card of the largest pipeline stage holds; only where nothing is unknown."""
        return self.static_mib(tp, pp) + self._known_overhead_mib

    def static_mib(self, tp: int, pp: int) -> int:
        """The same without engine and activations: weights and KV cache.

        A card keeps at least one KV head whole, so that beyond `kv_heads` more cards save weights only.
        """
        weights, kv = self._known_bytes
        kv_heads = self.kv_heads or tp
        stage, layers = (-(-self.layers // pp), self.layers) if self.layers else (1, pp)
        numerator = stage * (weights * kv_heads + kv * max(tp, kv_heads))
        return -(-numerator // (layers * tp * kv_heads * MIB))

    @property
    def host_mib(self) -> int:
        """What the model takes in RAM when no card holds any of it."""
        return -(-sum(self._known_bytes) // MIB) + self._known_overhead_mib

    @property
    def layer_mib(self) -> Fraction | None:
        """Weights and KV cache of one layer, all layers being equally large; None where their number is unknown."""
        return Fraction(sum(self._known_bytes), self.layers * MIB) if self.layers else None

    @property
    def _known_bytes(self) -> tuple[int, int]:
        if self.weights_bytes is None or self.kv_bytes is None:
            raise ValueError(f"nothing can be said of a need that is unknown: {self.unknown}")
        return self.weights_bytes, self.kv_bytes

    @property
    def _known_overhead_mib(self) -> int:
        if self.overhead_mib is None:
            raise ValueError(f"nothing can be said of a need that is unknown: {self.unknown}")
        return self.overhead_mib
