"""Prefill long prompts as a stage of their own, where little of them is cached."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bayplan.routing.endpoints.prefix_match import DEFAULT_PRODUCER
from bayplan.routing.factors.parameter_checks import at_least, refuse
from bayplan.routing.plugin_kinds import DECIDER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.framework.list_table import ListTable
    from bayplan.routing.hooks import PrefixProducer
    from bayplan.routing.requests.routed_request import RoutedRequest


@dataclass(frozen=True, slots=True, eq=False)
class PrefixBasedPdDecider:
    """Decides for a prefill stage where enough tokens of the prompt are not cached on the endpoint that decodes.

    Parameters:
        non_cached_tokens: how many tokens are enough; 0: never.
        prompt_tokens: how many tokens the whole prompt must have.
        prefix_match_info_producer_name: the prefix producer that is read; `approx-prefix-cache-producer` where none is
            named.
    """

    non_cached_tokens: int = 0
    prompt_tokens: int = 0
    prefix_match_info_producer_name: str | None = None
    _plugins: dict[str, Any] = field(default_factory=dict, init=False, repr=False)

    name = "prefix-based-pd-decider"
    kinds = (DECIDER,)

    def __post_init__(self) -> None:
        refuse(
            at_least("non_cached_tokens", self.non_cached_tokens, 0), at_least("prompt_tokens", self.prompt_tokens, 0)
        )

    def connect(self, name: str, plugins: Mapping[str, Any]) -> None:
        """Find the prefix producer."""
        self._plugins.update(plugins)

    def splits(self, request: RoutedRequest, table: ListTable, row: int, now: float) -> bool:
        """Whether enough is not cached on the endpoint of this row."""
        least = max(self.non_cached_tokens, self.prompt_tokens)
        if self.non_cached_tokens == 0 or request.prompt_tokens < least:
            return False
        producer: PrefixProducer = self._plugins[self.prefix_match_info_producer_name or DEFAULT_PRODUCER]
        names, block_sizes = table.columns["name"][row : row + 1], table.columns["block_size"][row : row + 1]
        (match,) = producer.matches(request, names, block_sizes, now)
        return match.uncached_tokens(request.prompt_tokens) >= self.non_cached_tokens
