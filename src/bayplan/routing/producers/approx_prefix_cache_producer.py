"""Which blocks of the prompt each endpoint holds, by what was sent to it before."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

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
class ApproxPrefixCacheProducer:
    """Produces how many blocks of the prompt each endpoint holds, by what this router sent to it before.

    For each endpoint an LRU of blocks is kept. A request adds its blocks, the last one first, so that the beginnings of
    prompts stay longest. Blocks match from the first on, without a gap.

    Parameters:
        auto_tune: whether an endpoint's own block size and number of blocks count, where it tells them.
        block_size_tokens: the tokens of a block elsewhere.
        max_prefix_tokens_to_match: how much of a prompt is looked at; 0: `maxPrefixBlocksToMatch` counts.
        max_prefix_blocks_to_match: how many blocks of a prompt are looked at; 0: all.
        lru_capacity_per_server: how many blocks an endpoint is taken to hold where it does not tell.
    """

    auto_tune: bool = True
    block_size_tokens: int = 16
    max_prefix_tokens_to_match: int = 131_072
    max_prefix_blocks_to_match: int = 2048
    lru_capacity_per_server: int = 31_250
    column: str = field(default="", init=False, repr=False)

    name = "approx-prefix-cache-producer"
    kinds = (PREFIX_PRODUCER,)
    reads = ("name", "block_size")
    depends = Depends.CYCLE
    storages = ("lists",)
    needs = ("token-producer",)

    def __post_init__(self) -> None:
        refuse(
            above("block_size_tokens", self.block_size_tokens, 0),
            at_least("max_prefix_tokens_to_match", self.max_prefix_tokens_to_match, 0),
            at_least("max_prefix_blocks_to_match", self.max_prefix_blocks_to_match, 0),
            above("lru_capacity_per_server", self.lru_capacity_per_server, 0),
        )
        self.column = prefix_column(self.name)

    @property
    def produces(self) -> tuple[str, ...]:
        return (self.column,)

    def connect(self, name: str, plugins: Mapping[str, Any]) -> None:
        """Take the column that belongs to its name in the configuration."""
        self.column = prefix_column(name)

    def produce(self, ask: RoutedRequest, rows: Any, cycle: Cycle) -> Mapping[str, list[PrefixMatch]]:
        return {self.column: self.matches(ask, rows.name, rows.block_size, cycle.now)}

    def matches(
        self, request: RoutedRequest, names: Sequence[str], block_sizes: Sequence[int | None], now: float
    ) -> list[PrefixMatch]:
        """How much of the request's prompts each of these endpoints holds."""
        raise NotImplementedError
