"""Our own policy as a configuration: one scorer, which keeps its own account of every endpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.framework.profile import Profile
from bayplan.framework.registry import Registry
from bayplan.framework.scheduler import Scheduler
from bayplan.routing.config.builtins import builtins
from bayplan.routing.config.reader import read_routing_config
from bayplan.routing.filters.decode_filter import DecodeFilter
from bayplan.routing.filters.endpoint_ready import EndpointReady
from bayplan.routing.filters.endpoint_subset import EndpointSubset
from bayplan.routing.handlers.single_profile_handler import SingleProfileHandler
from bayplan.routing.pickers.max_score_picker import MaxScorePicker
from bayplan.routing.scorers.prefill_cost_scorer import PrefillCostScorer

if TYPE_CHECKING:
    from bayplan.routing.config.routing_config import OwnPolicy, RoutingConfig


def own_config(policy: OwnPolicy = "early") -> RoutingConfig:
    """The configuration of a router that is given none."""
    document = {
        "apiVersion": "bayplan.io/v1alpha1",
        "kind": "SchedulerConfig",
        "scheduler": "routing",
        "ownPolicy": policy,
        "plugins": [{"type": PrefillCostScorer.name}],
    }
    return read_routing_config(document, Registry(builtins()))


def own_scorer(config: RoutingConfig) -> PrefillCostScorer:
    """The scorer of a configuration that says `ownPolicy`: its own, with its constants, or one with the usual ones."""
    found = (each for each in config.plugins.values() if isinstance(each, PrefillCostScorer))
    return next(found, None) or PrefillCostScorer()


def own_scheduler(config: RoutingConfig, scorer: PrefillCostScorer) -> Scheduler:
    """Decides by the scorer alone, among the endpoints that can answer a request by themselves."""
    filters = (EndpointReady(), EndpointSubset(), DecodeFilter())
    profile = Profile(config.own_policy or "early", MaxScorePicker(), filters, (scorer,))
    return Scheduler((profile,), SingleProfileHandler(), skip_broken=config.scheduler.on_plugin_error == "skip")
