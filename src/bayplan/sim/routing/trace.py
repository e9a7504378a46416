"""Recorded requests: when they arrived, how long they were, and which blocks of their prompts they share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

BLOCK_TOKENS: Final = 512
"""Tokens of one block of the published Mooncake traces."""


@dataclass(frozen=True, slots=True)
class TraceRequest:
    """One request. `blocks` are names of its prompt's blocks; each stands for the whole prompt up to its end."""

    id: str
    arrived_s: float
    prompt_tokens: int
    output_tokens: int
    blocks: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """Requests in the order of arrival."""

    name: str
    requests: tuple[TraceRequest, ...]
    block_tokens: int = BLOCK_TOKENS

    @property
    def end_s(self) -> float:
        """When the last request arrives."""
        return self.requests[-1].arrived_s if self.requests else 0.0

    def between(self, begin_s: float, end_s: float) -> Trace:
        """The requests of a stretch of time, which begins at 0 again."""
        kept = (each for each in self.requests if begin_s <= each.arrived_s < end_s)
        return replace(self, requests=tuple(replace(each, arrived_s=each.arrived_s - begin_s) for each in kept))

    def faster(self, speed: float) -> Trace:
        """The same requests, arriving at this many times the pace."""
        return self._at(lambda arrived_s: arrived_s / speed)

    def in_bursts(self, factor: float, period_s: float, share: float) -> Trace:
        """The same requests in the same order, a share of each period's at its beginning at `factor` times the pace."""
        begun_s = share * period_s
        burst_s = begun_s / factor
        stretch = (period_s - burst_s) / (period_s - begun_s)

        def moved(arrived_s: float) -> float:
            periods, offset_s = divmod(arrived_s, period_s)
            within_s = offset_s / factor if offset_s < begun_s else burst_s + (offset_s - begun_s) * stretch
            return periods * period_s + within_s

        return self._at(moved)

    def _at(self, moved: Callable[[float], float]) -> Trace:
        return replace(self, requests=tuple(replace(each, arrived_s=moved(each.arrived_s)) for each in self.requests))


def sessions(trace: Trace) -> dict[str, list[TraceRequest]]:
    """Requests by conversation: a request that begins with all full blocks of an earlier one is its next turn.

    The first block does not count: in the published trace every prompt has the same one.
    """
    ends: dict[int, str] = {}
    found: dict[str, list[TraceRequest]] = {}
    for each in trace.requests:
        session = next((ends[block] for block in reversed(each.blocks[1:]) if block in ends), each.id)
        found.setdefault(session, []).append(each)
        full: Sequence[int] = each.blocks[: each.prompt_tokens // trace.block_tokens]
        if len(full) > 1:
            ends[full[-1]] = session
    return found
