"""What placement brings: its plugins, what every configuration gets, and the strategies where none is given."""

from __future__ import annotations

from typing import Any

from bayplan.placement.filters.anti_affinity import AntiAffinity
from bayplan.placement.filters.backend_support import BackendSupport
from bayplan.placement.filters.carbon_limit import CarbonLimit
from bayplan.placement.filters.cost_limit import CostLimit
from bayplan.placement.filters.gpu_fit import GpuFit
from bayplan.placement.filters.host_fit import HostFit
from bayplan.placement.filters.label_match import LabelMatch
from bayplan.placement.filters.ready import Ready
from bayplan.placement.filters.region import Region
from bayplan.placement.filters.selected_gpus import SelectedGpus
from bayplan.placement.filters.taint_toleration import TaintToleration
from bayplan.placement.handlers.fit_tiers import FitTiers
from bayplan.placement.producers.card_fit import CardFit
from bayplan.placement.producers.chosen_cards import ChosenCards
from bayplan.placement.producers.usable_cards import UsableCards
from bayplan.placement.scorers.binpack import Binpack
from bayplan.placement.scorers.spread import Spread

REQUIRED_FILTERS: tuple[str, ...] = (
    "ready",
    "taint-toleration",
    "label-match",
    "selected-gpus",
    "backend-support",
    "region",
    "carbon-limit",
    "cost-limit",
    "gpu-fit",
    "host-fit",
)
"""They protect capacity, or are what a workload itself demands: a configuration cannot leave them out."""

HANDLER = FitTiers.name
CANDIDATES = "workers"

DEFAULT_CONFIG: dict[str, Any] = {
    "scheduler": "placement",
    "plugins": [{"type": "binpack"}, {"type": "spread"}, {"type": "max-score"}],
    "schedulingProfiles": [
        {"name": "pack", "plugins": [{"pluginRef": "binpack"}, {"pluginRef": "max-score"}]},
        {"name": "spread", "plugins": [{"pluginRef": "spread"}, {"pluginRef": "max-score"}]},
    ],
}
"""The strategies `pack` and `spread`."""


def builtins() -> tuple[type, ...]:
    """Every plugin of placement that a configuration may name."""
    return (
        Ready,
        TaintToleration,
        LabelMatch,
        SelectedGpus,
        BackendSupport,
        GpuFit,
        HostFit,
        AntiAffinity,
        Region,
        CarbonLimit,
        CostLimit,
        Binpack,
        Spread,
        UsableCards,
        CardFit,
        ChosenCards,
        FitTiers,
    )
