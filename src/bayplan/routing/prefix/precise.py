"""Prefix matches from what engines tell of their KV caches: what the precise producer and scorer share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bayplan.framework.plugins import Depends
from bayplan.routing.endpoints.prefix_match import PrefixMatch, prefix_column
from bayplan.routing.factors.parameter_checks import above, refuse
from bayplan.routing.plugin_kinds import EXTRACTOR, PREFIX_PRODUCER
from bayplan.routing.prefix.agreement import Agreement
from bayplan.routing.prefix.block_hashes import chain_of, chains_of, id_bytes, running_hashes, seed_of
from bayplan.routing.prefix.event_index import CPU, GPU, EventIndex, NamedBlock
from bayplan.routing.requests.routed_request import Prompt

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.list_table import ListTable
    from bayplan.routing.endpoints.endpoint import Endpoint
    from bayplan.routing.endpoints.kv_event import KvEvent
    from bayplan.routing.hooks import Sent
    from bayplan.routing.requests.routed_request import RoutedRequest

SPECULATIVE_S = 2.0
"""How long an endpoint is taken to hold what was sent to it: engines tell of new blocks within that time."""

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


@dataclass(slots=True)
class _Computation:
    """Which endpoint computes a prompt, and the hash of the prompt's first block."""

    endpoint: str
    block: int
    is_done: bool = False


@dataclass(slots=True, eq=False)
class PreciseMatching:
    """Which blocks each endpoint holds by its own word, and for how many of a request's blocks that is so."""

    token_processor_config: TokenProcessor = field(default_factory=TokenProcessor)
    indexer_config: Mapping[str, Any] = field(default_factory=dict)
    kv_events_config: Mapping[str, Any] = field(default_factory=dict)
    speculative_indexing: bool = False
    column: str = field(default="", init=False, repr=False)
    _index: EventIndex = field(default_factory=EventIndex, init=False, repr=False)
    _agreement: Agreement = field(default_factory=Agreement, init=False, repr=False)

    name = ""
    kinds = (PREFIX_PRODUCER, EXTRACTOR)
    reads = ("name", "block_size")
    depends = Depends.CYCLE
    storages = ("lists",)

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
        size = self.token_processor_config.size
        chains, total = chains_of(request, size, None, full_only=True)
        found = [self._index.matched(chain, now) for chain in chains]
        return [PrefixMatch(sum(each.get(name, 0) for each in found), total, size) for name in names]

    def endpoint_up(self, endpoint: Endpoint, now: float) -> None:
        """Take in what a document says that the endpoint holds."""
        for cached in () if endpoint.known is None else endpoint.known.cached:
            prompt = Prompt(cached.token_ids, cached.text)
            self._index.store(endpoint.name, self._hashes(prompt, cached.model), medium_of(cached.medium))

    def endpoint_down(self, name: str) -> None:
        """Forget an endpoint that is gone."""
        self._index.forget(name)
        self._agreement.left(name)

    def kv_event(self, name: str, event: KvEvent, now: float) -> None:
        """Take in what an engine tells of its KV cache."""
        if event.kind == "stored":
            self._agreement.told(name)
        if event.kind == "cleared":
            self._index.forget(name)
        elif event.block_hashes:
            self._named_blocks(name, event)
        else:
            hashes = self._hashes(Prompt(event.token_ids), event.model)
            change = self._index.store if event.kind == "stored" else self._index.remove
            change(name, hashes, medium_of(event.medium))

    def sent(self, request: RoutedRequest, sent: Sent, now: float) -> None:
        """Take the picked endpoints to hold the request's blocks for a while, where that is wanted."""
        names = sent.table.columns["name"]
        chains, total = chains_of(request, self.token_processor_config.size, None, full_only=True)
        if total:
            computed_by = sent.first if sent.prefilled_by is None else sent.prefilled_by
            first = next(chain.hashes[0] for chain in chains if len(chain.hashes))
            request.notes[self] = _Computation(names[computed_by], first)
        if not self.speculative_indexing:
            return
        for row in {sent.first, sent.first if sent.prefilled_by is None else sent.prefilled_by}:
            for chain in chains:
                self._index.guess(names[row], chain, now, now + SPECULATIVE_S)

    def first_token(self, request: RoutedRequest, now: float) -> None:
        """The prompt is computed; the engine tells of it within a moment."""
        if self in request.notes:
            request.notes[self].is_done = True

    def completed(self, request: RoutedRequest, usage: tuple[int, int] | None, now: float) -> None:
        """Look whether the engine that computed the prompt has told of it."""
        found = request.notes.pop(self, None)
        if found is not None and found.is_done:
            self._agreement.computed(found.endpoint, is_held=self._index.holds(found.endpoint, found.block))

    def take_over(self, former: PreciseMatching) -> None:
        """Keep what engines told, unless prompts are cut into other blocks now."""
        if former.token_processor_config.size == self.token_processor_config.size:
            self._index, self._agreement = former._index, former._agreement

    def warnings(self, table: ListTable) -> Sequence[str]:
        """Which endpoints have blocks of another size, or tell of blocks that no prompt has: nothing there matches."""
        size, columns = self.token_processor_config.size, table.columns
        return self._agreement.problems() + [
            f"endpoint {name} has a block size of {own} tokens, {self.name} one of {size}: its blocks do not match"
            for name, own in zip(columns["name"], columns["block_size"], strict=True)
            if own is not None and own != size
        ]

    def _hashes(self, prompt: Prompt, model: str) -> Sequence[int]:
        return chain_of(prompt, model, "", self.token_processor_config.size, full_only=True).hashes

    def _named_blocks(self, name: str, event: KvEvent) -> None:
        """Blocks by the engine's own names. What cannot be placed (its parent was missed, another size) is left out."""
        known, medium = self._index.endpoint(name).names, medium_of(event.medium)
        if event.kind == "removed":
            self._index.remove_named(name, event.block_hashes, medium)
            return
        size, count = self.token_processor_config.size, len(event.block_hashes)
        parent = NamedBlock(seed_of(False, event.model, ""), -1)
        if event.parent_hash is not None:
            if event.parent_hash not in known:
                return
            parent = known[event.parent_hash]
        if len(event.token_ids) != size * count:
            return
        hashes = running_hashes(id_bytes(event.token_ids), size, count, first=parent.place + 1, before=parent.hash)
        for place, (own_name, block) in enumerate(zip(event.block_hashes, hashes, strict=True), parent.place + 1):
            known[own_name] = NamedBlock(block, place)
        self._index.store(name, hashes, medium)


def medium_of(text: str | None) -> int:
    """The medium that an engine names; without a name it is GPU memory."""
    return GPU if text is None or text.lower().startswith("gpu") else CPU
