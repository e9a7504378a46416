"""Which blocks of the prompt each endpoint holds, by what was sent to it before."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bayplan.framework.plugins import Depends
from bayplan.routing.endpoints.prefix_match import PrefixMatch, prefix_column
from bayplan.routing.factors.parameter_checks import above, at_least, refuse
from bayplan.routing.plugin_kinds import PREFIX_PRODUCER
from bayplan.routing.prefix.approximate_index import ApproximateIndex
from bayplan.routing.prefix.block_hashes import chain_of, chains_of
from bayplan.routing.requests.routed_request import Prompt

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bayplan.framework.cycle import Cycle
    from bayplan.routing.endpoints.endpoint import Endpoint
    from bayplan.routing.hooks import Sent
    from bayplan.routing.prefix.block_hashes import Chain
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
    _held: dict[str, ApproximateIndex] = field(default_factory=dict, init=False, repr=False)

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
        held = self._held
        by_size = {own: self._asked(request, own) for own in set(block_sizes)}
        matches = []
        for name, own in zip(names, block_sizes, strict=True):
            chains, nothing = by_size[own]
            index = held.get(name)
            if index is None or index.block_size != nothing.block_size:
                matches.append(nothing)
                continue
            matched = index.matched(chains[0]) if len(chains) == 1 else sum(map(index.matched, chains))
            matches.append(PrefixMatch(matched, nothing.total_blocks, nothing.block_size) if matched else nothing)
        return matches

    def sent(self, request: RoutedRequest, sent: Sent, now: float) -> None:
        """Remember the request's blocks where it went; the first prompt last, so that its beginning stays longest."""
        columns = sent.table.columns
        for row in (sent.first, sent.prefilled_by):
            if row is not None:
                size = self._block_size(columns["block_size"][row])
                chains, _ = chains_of(request, size, self._most_blocks(size))
                self._add(columns["name"][row], reversed(chains), size, columns["blocks"][row], now)

    def endpoint_up(self, endpoint: Endpoint, now: float) -> None:
        """Take in what a document says that the endpoint holds."""
        if endpoint.known is None:
            return
        size, blocks = self._block_size(endpoint.known.metrics.block_size), endpoint.known.metrics.blocks
        chains = (
            chain_of(Prompt(each.token_ids, each.text), each.model, "", size, self._most_blocks(size))
            for each in endpoint.known.cached
        )
        self._add(endpoint.name, chains, size, blocks, now)

    def endpoint_down(self, name: str) -> None:
        """Forget an endpoint that is gone."""
        self._held.pop(name, None)

    def take_over(self, former: ApproxPrefixCacheProducer) -> None:
        """Keep what was sent; blocks of another size go when the next request is sent there."""
        self._held = former._held

    def _asked(self, request: RoutedRequest, own_size: int | None) -> tuple[tuple[Chain, ...], PrefixMatch]:
        """The request's blocks for endpoints of this block size, and the match of those that hold nothing."""
        size = self._block_size(own_size)
        chains, total = chains_of(request, size, self._most_blocks(size))
        return chains, PrefixMatch(0, total, size)

    def _add(self, name: str, chains: Iterable[Chain], size: int, blocks: int | None, now: float) -> None:
        capacity = blocks if self.auto_tune and blocks else self.lru_capacity_per_server
        index = self._held.get(name)
        if index is None or index.block_size != size:
            index = self._held[name] = ApproximateIndex(size, capacity)
        index.shrink(capacity)
        for chain in chains:
            index.add(chain, now)

    def _block_size(self, own: int | None) -> int:
        return own if self.auto_tune and own else self.block_size_tokens

    def _most_blocks(self, size: int) -> int | None:
        if self.max_prefix_tokens_to_match:
            return self.max_prefix_tokens_to_match // size
        return self.max_prefix_blocks_to_match or None
