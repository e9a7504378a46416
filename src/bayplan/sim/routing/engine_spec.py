"""One engine of a replayed pool, before it is made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bayplan.sim.engine.batching.simulated_engine import Limits, SimulatedEngine

if TYPE_CHECKING:
    from bayplan.sim.engine.batching.timing import Profile

SEQUENCES: Final = 256
"""Requests that one engine runs at once, as engines are started by default."""


@dataclass(frozen=True, slots=True)
class EngineSpec:
    """A profile, and how many times as long this engine takes for everything."""

    profile: Profile
    slowdown: float = 1.0

    def blocks(self, block_tokens: int) -> int:
        """How many blocks its cache has."""
        return self.profile.kv_tokens // block_tokens

    def engine(self, block_tokens: int) -> SimulatedEngine:
        """A new engine with an empty cache: the model that `bayplan engine` runs in real time."""
        limits = Limits(self.blocks(block_tokens), block_tokens, self.profile.step_tokens, SEQUENCES)
        return SimulatedEngine(limits, self.profile.timing.scaled(self.slowdown))
