"""The distinct values behind the numbers in a snapshot's columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bayplan.cluster.card_set import CardSets
from bayplan.cluster.pool import Pool

if TYPE_CHECKING:
    from bayplan.cluster.device_offer import DeviceOffer
    from bayplan.cluster.frozen_map import FrozenMap
    from bayplan.cluster.links import LinkMatrix
    from bayplan.cluster.mig_layout import MigLayout
    from bayplan.cluster.numa import Numa
    from bayplan.cluster.taint import Taint
    from bayplan.cluster.topology import TopologyPath
    from bayplan.cluster.utilization import Utilization


@dataclass(frozen=True, slots=True)
class Pools:
    """A filter asks each distinct value once and spreads the answers over the rows.

    Pools only grow, so that numbers stay what they are when workers come and go. Measurements never repeat: once most
    are of no worker any more, a new snapshot begins a pool of them anew.
    """

    labels: Pool[FrozenMap[str, str]] = field(default_factory=Pool)
    taints: Pool[tuple[Taint, ...]] = field(default_factory=Pool)
    paths: Pool[TopologyPath] = field(default_factory=Pool)
    links: Pool[LinkMatrix] = field(default_factory=Pool)
    cards: CardSets = field(default_factory=CardSets)
    numa: Pool[Numa] = field(default_factory=Pool)
    utilization: Pool[Utilization] = field(default_factory=Pool)
    cached_models: Pool[FrozenMap[str, float | None]] = field(default_factory=Pool)
    services: Pool[tuple[str, ...]] = field(default_factory=Pool)
    device_offers: Pool[DeviceOffer] = field(default_factory=Pool)
    models: Pool[str] = field(default_factory=Pool)
    runtimes: Pool[str] = field(default_factory=Pool)
    layouts: Pool[MigLayout] = field(default_factory=Pool)
    profiles: Pool[str] = field(default_factory=Pool)
    """Profiles of instances whose card is not known, in lower case."""
    resources: Pool[str] = field(default_factory=Pool)
    """Names of other resources that a worker offers or a booking holds."""
