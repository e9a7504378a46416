"""Prefix matches from what engines tell of their KV caches: what the precise producer and scorer share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bayplan.framework.plugins import Depends
from bayplan.routing.factors.parameter_checks import above, refuse
from bayplan.routing.plugin_kinds import EXTRACTOR, PREFIX_PRODUCER
from bayplan.routing.prefix.match import prefix_column

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.framework.cycle import Cycle
    from bayplan.routing.prefix.match import PrefixMatch
    from bayplan.routing.requests.routed_request import RoutedRequest

DEFAULT_BLOCK_SIZE = 16


@dataclass(frozen=True, slots=True)
class TokenProcessor:
    """How prompts are cut into blocks.

    Parameters:
        block_size_tokens: the tokens of a block, as the engines have them.
        block_size: the same under its older name.
        hash_seed: the engines' seed of block hashes; it has no effect, because events bring the tokens.
        hash_algorithm: the engines' algorithm of block hashes; without effect too.
    """

    block_size_tokens: int | None = None
    block_size: int | None = None
    hash_seed: str = ""
    hash_algorithm: str = ""

    def __post_init__(self) -> None:
        refuse(
            above("block_size_tokens", self.block_size_tokens or 1, 0),
            above("block_size", self.block_size or 1, 0),
        )

    @property
    def size(self) -> int:
        """The tokens of a block."""
        return self.block_size_tokens or self.block_size or DEFAULT_BLOCK_SIZE


@dataclass(slots=True, eq=False)
class PreciseMatching:
    """Which blocks each endpoint holds by its own word, and for how many of a request's blocks that is so."""

    token_processor_config: TokenProcessor = field(default_factory=TokenProcessor)
    indexer_config: Mapping[str, Any] = field(default_factory=dict)
    kv_events_config: Mapping[str, Any] = field(default_factory=dict)
    speculative_indexing: bool = False
    column: str = field(default="", init=False, repr=False)

    name = ""
    kinds = (PREFIX_PRODUCER, EXTRACTOR)
    reads = ("name", "block_size")
    depends = Depends.CYCLE
    storages = ("lists",)
    needs = ("token-producer",)

    def __post_init__(self) -> None:
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
