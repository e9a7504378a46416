"""What placement brings: its plugins, what every configuration gets, and the strategies where none is given."""

from __future__ import annotations

from typing import Any

from bayplan.placement.constraints.anti_affinity import AntiAffinity
from bayplan.placement.decision import five_factors
from bayplan.placement.decision.fit_tiers import FitTiers
from bayplan.placement.filters.backend_support import BackendSupport
from bayplan.placement.filters.bandwidth import Bandwidth
from bayplan.placement.filters.carbon_limit import CarbonLimit
from bayplan.placement.filters.cost_limit import CostLimit
from bayplan.placement.filters.gpu_fit import GpuFit
from bayplan.placement.filters.host_fit import HostFit
from bayplan.placement.filters.label_match import LabelMatch
from bayplan.placement.filters.locality import NearCards
from bayplan.placement.filters.mig_fit import MigFit
from bayplan.placement.filters.numa_single_node import NumaSingleNode
from bayplan.placement.filters.ready import Ready
from bayplan.placement.filters.region import Region
from bayplan.placement.filters.resource_fit import ResourceFit
from bayplan.placement.filters.selected_gpus import SelectedGpus
from bayplan.placement.filters.taint_toleration import TaintToleration
from bayplan.placement.producers.card_fit import CardFit
from bayplan.placement.producers.chosen_cards import ChosenCards
from bayplan.placement.producers.usable_cards import UsableCards
from bayplan.placement.scorers.best_fit import BestFit
from bayplan.placement.scorers.binpack import Binpack
from bayplan.placement.scorers.carbon import Carbon
from bayplan.placement.scorers.cost import Cost
from bayplan.placement.scorers.data_locality import DataLocality
from bayplan.placement.scorers.dot_product import DotProduct
from bayplan.placement.scorers.fgd import Fgd
from bayplan.placement.scorers.gpu_availability import GpuAvailability
from bayplan.placement.scorers.gpu_clustering import GpuClustering
from bayplan.placement.scorers.gpu_packing import GpuPacking
from bayplan.placement.scorers.headroom import Headroom
from bayplan.placement.scorers.load_packing import LoadPacking
from bayplan.placement.scorers.load_risk import LoadRisk
from bayplan.placement.scorers.model_cache import ModelCache
from bayplan.placement.scorers.numa_alignment import NumaAlignment
from bayplan.placement.scorers.power import Power
from bayplan.placement.scorers.preferred_region import PreferredRegion
from bayplan.placement.scorers.pwr import Pwr
from bayplan.placement.scorers.spread import Spread
from bayplan.placement.scorers.topology import Topology
from bayplan.placement.scorers.utilization import Utilization
from bayplan.placement.scorers.vgpu_cost_saving import VgpuCostSaving
from bayplan.placement.scorers.vgpu_high_performance import VgpuHighPerformance

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
    "mig-fit",
    "locality",
    "bandwidth",
    "host-fit",
    "resource-fit",
)
"""They protect capacity, or are what a workload itself demands: a configuration cannot leave them out."""

HANDLER = FitTiers.name
CANDIDATES = "workers"

DEFAULT_CONFIG: dict[str, Any] = {
    "scheduler": "placement",
    "plugins": [
        {"type": "binpack"},
        {"type": "spread"},
        {"type": "vgpu-cost-saving"},
        {"type": "vgpu-high-performance"},
        *({"type": name} for name in five_factors.WEIGHTS),
        {"type": "max-score"},
    ],
    "schedulingProfiles": [
        {"name": "pack", "plugins": [{"pluginRef": "binpack"}, {"pluginRef": "max-score"}]},
        {"name": "spread", "plugins": [{"pluginRef": "spread"}, {"pluginRef": "max-score"}]},
        {"name": "vgpu-cost-saving", "plugins": [{"pluginRef": "vgpu-cost-saving"}, {"pluginRef": "max-score"}]},
        {
            "name": "vgpu-high-performance",
            "plugins": [{"pluginRef": "vgpu-high-performance"}, {"pluginRef": "max-score"}],
        },
        {
            "name": five_factors.STRATEGY,
            "plugins": [
                *({"pluginRef": name, "weight": weight} for name, weight in five_factors.WEIGHTS.items()),
                {"pluginRef": "max-score"},
            ],
        },
    ],
}
"""The strategies `pack` and `spread`, the two policies by which Alnair shares cards, and the factors of AgentPools."""


def builtins() -> tuple[type, ...]:
    """Every plugin of placement that a configuration may name."""
    return (
        Ready,
        TaintToleration,
        LabelMatch,
        SelectedGpus,
        BackendSupport,
        GpuFit,
        MigFit,
        NearCards,
        Bandwidth,
        HostFit,
        ResourceFit,
        NumaSingleNode,
        AntiAffinity,
        Region,
        CarbonLimit,
        CostLimit,
        Binpack,
        Spread,
        NumaAlignment,
        GpuAvailability,
        Topology,
        ModelCache,
        Cost,
        DataLocality,
        Carbon,
        Power,
        PreferredRegion,
        Utilization,
        LoadPacking,
        LoadRisk,
        VgpuCostSaving,
        VgpuHighPerformance,
        Headroom,
        Fgd,
        BestFit,
        DotProduct,
        GpuPacking,
        GpuClustering,
        Pwr,
        UsableCards,
        CardFit,
        ChosenCards,
        FitTiers,
    )
