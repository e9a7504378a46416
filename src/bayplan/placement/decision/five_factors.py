"""The five factors by which AgentPools are placed, and what pools may change about them."""

from __future__ import annotations

from bayplan.placement.scorers.carbon import Carbon
from bayplan.placement.scorers.cost import Cost
from bayplan.placement.scorers.data_locality import DataLocality
from bayplan.placement.scorers.gpu_availability import GpuAvailability
from bayplan.placement.scorers.model_cache import ModelCache
from bayplan.placement.scorers.preferred_region import PreferredRegion
from bayplan.placement.scorers.topology import Topology

STRATEGY = "five-factors"
MODEL_CACHE = ModelCache.name
DATA_LOCALITY = DataLocality.name
CARBON = Carbon.name
PREFERRED_REGION = PreferredRegion.name

WEIGHTS: dict[str, float] = {
    GpuAvailability.name: 30,
    Topology.name: 25,
    ModelCache.name: 20,
    Cost.name: 15,
    DataLocality.name: 10,
}

LOCALITY_PERCENT = {"low": 5.0, "medium": 10.0, "high": 20.0}
"""What `localityWeight` gives to data locality."""

CARBON_PERCENT = 15.0
"""As much as cost: a clean grid may decide, but not against half of the cards, links or caches."""

WISH_PERCENT = 1e-6
"""Too little to outweigh anything that was measured: a preferred region wins where all else is equal."""
