"""Which blocks of the prompt each endpoint was sent a moment ago."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from bayplan.framework.plugins import Depends
from bayplan.routing.endpoints.prefix_match import PrefixMatch, prefix_column
from bayplan.routing.factors.parameter_checks import above, at_least, refuse
from bayplan.routing.plugin_kinds import PREFIX_PRODUCER
from bayplan.routing.prefix.approximate_index import ApproximateIndex
from bayplan.routing.prefix.block_hashes import chains_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.framework.cycle import Cycle
    from bayplan.routing.hooks import Sent
    from bayplan.routing.prefix.block_hashes import Chain
    from bayplan.routing.requests.routed_request import RoutedRequest

CAPACITY_BLOCKS = 31_250
"""Blocks that are remembered for each endpoint: more than a window of requests brings."""


class Burst:
    """What one endpoint was sent lately: the blocks, and when each request was sent."""

    __slots__ = ("index", "times_s")

    def __init__(self, block_size: int) -> None:
        self.index = ApproximateIndex(block_size, CAPACITY_BLOCKS)
        self.times_s: deque[float] = deque()


@dataclass(slots=True, eq=False)
class BurstPrefixCacheProducer:
    """Produces how many blocks of the prompt each endpoint was sent within a short window, for bursts of equal prompts.

    Requests are picked one by one as they come; they are not collected into batches.

    Parameters:
        window_duration_ms: how long a request that was sent is remembered.
        max_per_replica: an endpoint that was sent so many requests within the window matches nothing; −1: no limit.
        min_colocate_blocks: a match of fewer blocks counts as none.
        block_size_tokens: the tokens of a block.
        max_batch_size: the size of llm-d's batches; it has no effect here.
        balance_by: how llm-d fills its batches; it has no effect here.
    """

    window_duration_ms: int = 100
    max_per_replica: int = -1
    min_colocate_blocks: int = 0
    block_size_tokens: int = 64
    max_batch_size: int = 1000
    balance_by: Literal["requests", "tokens"] = "requests"
    column: str = field(default="", init=False, repr=False)
    _bursts: dict[str, Burst] = field(default_factory=dict, init=False, repr=False)

    name = "burst-prefix-cache-producer"
    kinds = (PREFIX_PRODUCER,)
    reads = ("name",)
    depends = Depends.CYCLE
    storages = ("lists",)

    def __post_init__(self) -> None:
        refuse(
            above("window_duration_ms", self.window_duration_ms, 0),
            at_least("max_per_replica", self.max_per_replica, -1),
            at_least("min_colocate_blocks", self.min_colocate_blocks, 0),
            above("block_size_tokens", self.block_size_tokens, 0),
            above("max_batch_size", self.max_batch_size, 0),
        )
        self.column = prefix_column(self.name)

    @property
    def produces(self) -> tuple[str, ...]:
        return (self.column,)

    def connect(self, name: str, plugins: Mapping[str, Any]) -> None:
        """Take the column that belongs to its name in the configuration."""
        self.column = prefix_column(name)

    def produce(self, ask: RoutedRequest, rows: Any, cycle: Cycle) -> Mapping[str, list[PrefixMatch]]:
        return {self.column: self.matches(ask, rows.name, [None] * rows.size, cycle.now)}

    def matches(
        self, request: RoutedRequest, names: Sequence[str], block_sizes: Sequence[int | None], now: float
    ) -> list[PrefixMatch]:
        """How much of the request's prompts each of these endpoints was sent within the window."""
        oldest_s = now - self.window_duration_ms / 1000.0
        chains, total = chains_of(request, self.block_size_tokens, None)
        return [
            PrefixMatch(self._matched(self._bursts.get(name), chains, oldest_s), total, self.block_size_tokens)
            for name in names
        ]

    def sent(self, request: RoutedRequest, sent: Sent, now: float) -> None:
        """Remember the request where it went."""
        oldest_s = now - self.window_duration_ms / 1000.0
        chains, _ = chains_of(request, self.block_size_tokens, None)
        burst = self._bursts.setdefault(sent.table.columns["name"][sent.first], Burst(self.block_size_tokens))
        while burst.times_s and burst.times_s[0] < oldest_s:
            burst.times_s.popleft()
        burst.times_s.append(now)
        for chain in reversed(chains):
            burst.index.add(chain, now)

    def endpoint_down(self, name: str) -> None:
        """Forget an endpoint that is gone."""
        self._bursts.pop(name, None)

    def _matched(self, burst: Burst | None, chains: Sequence[Chain], oldest_s: float) -> int:
        if burst is None or self._is_full(burst, oldest_s):
            return 0
        matched = sum(burst.index.matched(chain, oldest_s) for chain in chains)
        return matched if matched >= self.min_colocate_blocks else 0

    def _is_full(self, burst: Burst, oldest_s: float) -> bool:
        return 0 <= self.max_per_replica <= sum(time_s >= oldest_s for time_s in burst.times_s)
