"""Our own policy as a configuration: what a router decides by that is given none."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from bayplan.framework.registry import Registry
from bayplan.routing.config.builtins import builtins
from bayplan.routing.config.own_policy import own_policy_document
from bayplan.routing.config.reader import read_routing_config
from bayplan.routing.scorers.prefill_cost_scorer import PrefillCostScorer

if TYPE_CHECKING:
    from bayplan.routing.config.routing_config import OwnPolicy, RoutingConfig


def own_config(policy: OwnPolicy = "early") -> RoutingConfig:
    """The configuration of a router that is given none."""
    return read_routing_config(own_policy_document(policy), _registry())


@cache
def _registry() -> Registry:
    """Made once: it takes many times as long as reading the configuration."""
    return Registry(builtins())


def own_scorer(config: RoutingConfig) -> PrefillCostScorer | None:
    """The scorer that decides, where a configuration says `ownPolicy`; it keeps the account of all endpoints."""
    if config.own_policy is None:
        return None
    return next((each for each in config.plugins.values() if isinstance(each, PrefillCostScorer)), None)
