"""What an engine says of itself: the figures that decisions look at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class EngineMetrics:
    """One reading of an engine's metrics. None is unknown, never 0.

    `kv_usage` is a share in [0, 1]. `block_size` counts tokens, `blocks` the blocks of the KV cache,
    `kv_token_capacity` the tokens it holds; where only the first two are known, the capacity is their product. A
    reading replaces the one before it as a whole; only `attributes` that it does not name keep their values.
    """

    waiting: float | None = None
    running: float | None = None
    kv_usage: float | None = None
    block_size: int | None = None
    blocks: int | None = None
    kv_token_capacity: int | None = None
    lora_active: frozenset[str] = frozenset()
    lora_waiting: frozenset[str] = frozenset()
    lora_max: int = 0
    attributes: Mapping[str, float] | None = None

    @property
    def capacity_tokens(self) -> int | None:
        """How many tokens the KV cache holds; None where the engine does not say."""
        if self.kv_token_capacity is not None:
            return self.kv_token_capacity
        return None if self.block_size is None or self.blocks is None else self.block_size * self.blocks
