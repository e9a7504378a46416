"""A configuration as the router uses it: everything that is looked up once, not with each request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.framework.config.scheduler_config import scheduler
from bayplan.routing.hook_table import HookTable
from bayplan.routing.own_policy import own_scorer
from bayplan.routing.plugin_kinds import PREFIX_PRODUCER
from bayplan.routing.producers.agent_identity import AgentIdentity
from bayplan.routing.requests.parser_table import ParserTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bayplan.framework.list_table import ListTable
    from bayplan.routing.config.routing_config import RoutingConfig
    from bayplan.routing.prefix.match import PrefixMatch
    from bayplan.routing.requests.routed_request import RoutedRequest


class RoutingPlan:
    """The scheduler, the plugins around a request, and who is asked about prefixes and output tokens.

    Prefixes are asked of the first prefix producer in the order of the configuration. `own` is the scorer of our own
    policy where that decides: it knows prefixes too.
    """

    def __init__(self, config: RoutingConfig) -> None:
        self.config = config
        plugins = config.plugins
        self.own = own_scorer(config)
        self.scheduler = scheduler(config.scheduler)
        self.hooks = HookTable(plugins)
        self.detector = config.detector
        self.admitters = tuple(config.admitters.values())
        self.parsers = ParserTable(tuple(config.parsers.items()))
        self.agent_identity = next((each for each in plugins.values() if isinstance(each, AgentIdentity)), None)
        self.warnings = tuple(str(each) for each in config.warnings)
        self._problem = getattr(self.scheduler.handler, "problem", None)
        self._profiles = tuple(self.scheduler.profiles)
        self._prefixes = _first_of_kind(PREFIX_PRODUCER, plugins.values()) or self.own
        self._estimator = next((each for each in plugins.values() if hasattr(each, "output_tokens")), None)

    def problem(self, request: RoutedRequest) -> str | None:
        """Why the handler cannot serve the request as it is."""
        found: str | None = None if self._problem is None else self._problem(request, self._profiles)
        return found

    def matches(
        self, request: RoutedRequest, table: ListTable, rows: Sequence[int], now: float
    ) -> list[PrefixMatch] | None:
        """How much of the request's prompts these endpoints hold; None where nobody keeps an index."""
        if self._prefixes is None:
            return None
        names, sizes = table.keys, table.columns["block_size"]
        found: list[PrefixMatch] = self._prefixes.matches(
            request, [names[row] for row in rows], [sizes[row] for row in rows], now
        )
        return found

    def output_tokens(self, request: RoutedRequest) -> int:
        """Tokens that count on the primary pick until the end."""
        return 0 if self._estimator is None else self._estimator.output_tokens(request)


def _first_of_kind(kind: str, plugins: Iterable[Any]) -> Any:
    return next((each for each in plugins if kind in getattr(each, "kinds", ())), None)
