"""The load that a request would bring to each endpoint, and what it is counted with until it ends."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import floor
from typing import TYPE_CHECKING, Any

from bayplan.framework.plugins import Depends
from bayplan.routing.endpoints.prefix_match import prefix_column
from bayplan.routing.factors.parameter_checks import at_least, refuse
from bayplan.routing.plugin_kinds import PREFIX_PRODUCER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.framework.cycle import Cycle
    from bayplan.routing.requests.routed_request import RoutedRequest


@dataclass(frozen=True, slots=True, eq=False)
class InflightLoadProducer:
    """Produces how many prompt tokens of the request each endpoint does not have in its prefix cache.

    That is by the first prefix producer of the configuration; without one all tokens count. The router counts requests
    and tokens in flight by itself; here stands whether tokens of the answer count too, from dispatch to the end:
    prompt tokens × ratio, but no more than the request's `max_tokens` and the maximum.

    Parameters:
        add_estimated_output_tokens: whether tokens of the answer count.
        output_ratio: how many tokens of an answer are expected for one of the prompt.
        max_estimated_output_tokens: no more than this; no limit where it is not given.
    """

    add_estimated_output_tokens: bool = False
    output_ratio: float = 1.5
    max_estimated_output_tokens: int | None = None
    _prefix_columns: list[str] = field(default_factory=list, init=False, repr=False)

    name = "inflight-load-producer"
    produces = ("uncached_tokens",)
    depends = Depends.CYCLE
    storages = ("lists",)

    def __post_init__(self) -> None:
        refuse(
            at_least("output_ratio", self.output_ratio, 0),
            at_least("max_estimated_output_tokens", self.max_estimated_output_tokens or 0, 0),
        )

    @property
    def reads(self) -> tuple[str, ...]:
        return tuple(self._prefix_columns)

    def connect(self, name: str, plugins: Mapping[str, Any]) -> None:
        """Find the first prefix producer."""
        producers = (each for each, plugin in plugins.items() if PREFIX_PRODUCER in getattr(plugin, "kinds", ()))
        self._prefix_columns[:] = [prefix_column(each) for each in producers][:1]

    def produce(self, ask: RoutedRequest, rows: Any, cycle: Cycle) -> Mapping[str, list[float]]:
        if not self._prefix_columns:
            return {"uncached_tokens": [ask.prompt_tokens] * rows.size}
        matches = getattr(rows, self._prefix_columns[0])
        return {"uncached_tokens": [match.uncached_tokens(ask.prompt_tokens) for match in matches]}

    def output_tokens(self, request: RoutedRequest) -> int:
        """Tokens of the answer that count from dispatch to the end."""
        if not self.add_estimated_output_tokens:
            return 0
        expected = floor(request.prompt_tokens * self.output_ratio + 0.5)  # halves up
        limits = (request.max_tokens, self.max_estimated_output_tokens)
        return min([expected, *(limit for limit in limits if limit is not None)])
