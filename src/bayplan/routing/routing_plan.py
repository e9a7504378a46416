"""A configuration as the router uses it: everything that is looked up once, not with each request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from bayplan.framework.config.scheduler_config import scheduler
from bayplan.routing.filters.decode_filter import DecodeFilter
from bayplan.routing.filters.endpoint_ready import EndpointReady
from bayplan.routing.filters.endpoint_subset import EndpointSubset
from bayplan.routing.handlers.single_profile_handler import SingleProfileHandler
from bayplan.routing.hook_table import HookTable
from bayplan.routing.own_policy import own_scorer
from bayplan.routing.plugin_kinds import PREFIX_PRODUCER
from bayplan.routing.producers.agent_identity import AgentIdentity
from bayplan.routing.requests.parser_table import ParserTable
from bayplan.routing.scorers.prefill_cost_scorer import PrefillCostScorer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from bayplan.framework.list_table import ListTable
    from bayplan.routing.config.routing_config import RoutingConfig
    from bayplan.routing.endpoints.prefix_match import PrefixMatch
    from bayplan.routing.requests.routed_request import RoutedRequest

    Problem: TypeAlias = Callable[[RoutedRequest, Sequence[str]], str | None]
    Estimate: TypeAlias = Callable[[RoutedRequest], int]


class RoutingPlan:
    """The scheduler, the plugins around a request, and who is asked about prefixes and output tokens.

    Prefixes are asked of the first prefix producer in the order of the configuration. `own` is the scorer of our own
    policy where that decides: it knows prefixes too. `bare` is the name of the only profile where that does nothing
    beside our own policy, which then need not ask it about an endpoint that is ready and decodes; else it is None.
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
        self.bare = _bare_profile(config, self.hooks)
        self.problem: Problem | None = getattr(self.scheduler.handler, "problem", None)
        self.profiles = tuple(self.scheduler.profiles)
        self._prefixes = _first_of_kind(PREFIX_PRODUCER, plugins.values()) or self.own
        estimates = (getattr(each, "output_tokens", None) for each in plugins.values())
        self.output_tokens: Estimate | None = next((each for each in estimates if each is not None), None)

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


def _first_of_kind(kind: str, plugins: Iterable[Any]) -> Any:
    return next((each for each in plugins if kind in getattr(each, "kinds", ())), None)


_OWN_FILTERS = (EndpointReady, EndpointSubset, DecodeFilter)


def _bare_profile(config: RoutingConfig, hooks: HookTable) -> str | None:
    """The only profile, where nothing but our own policy has a word: no other plugin hears of a request."""
    if len(config.profiles) != 1 or not isinstance(config.scheduler.handler, SingleProfileHandler) or config.admitters:
        return None
    (profile,) = config.profiles
    scorers = [each.scorer for each in profile.weighted]
    plain = all(isinstance(each.plugin, _OWN_FILTERS) for each in profile.named_filters)
    own = len(scorers) == 1 and isinstance(scorers[0], PrefillCostScorer)
    heard = hooks.has_headers or len(hooks.sent) > 1 or profile.producers
    return profile.name if plain and own and not heard else None
