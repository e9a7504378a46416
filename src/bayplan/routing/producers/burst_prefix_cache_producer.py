"""Which blocks of the prompt each endpoint was sent a moment ago."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from bayplan.framework.plugins import Depends
from bayplan.routing.factors.parameter_checks import above, at_least, refuse
from bayplan.routing.plugin_kinds import PREFIX_PRODUCER
from bayplan.routing.prefix.match import prefix_column

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.framework.cycle import Cycle
    from bayplan.routing.prefix.match import PrefixMatch
    from bayplan.routing.requests.routed_request import RoutedRequest


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

    name = "burst-prefix-cache-producer"
    kinds = (PREFIX_PRODUCER,)
    reads = ("name",)
    depends = Depends.CYCLE
    storages = ("lists",)
    needs = ("token-producer",)

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
        raise NotImplementedError
