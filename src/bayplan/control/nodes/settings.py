"""How patient the node loop is."""

from __future__ import annotations

from dataclasses import dataclass

from bayplan.control.nodes.heartbeats import SILENCE_S


@dataclass(frozen=True, slots=True)
class NodeSettings:
    """Times and shares, by default those of Kubernetes."""

    silence_s: float = SILENCE_S
    eviction_s: float = 300.0
    """After this time without its node a Pod is deleted, unless its tolerations say another time."""
    outage_share: float = 0.55
    """Where a larger share of the workers is silent at once, nothing is evicted: the network may be at fault."""
    sweep_s: float = 5.0
    """How often silent workers are looked for."""
    profile_s: float = 30.0
    """How often measurements are written as annotations of Nodes, where they changed."""
    sample_s: float = 10.0
    """How often measurements are looked at; workers send them with their heartbeats."""
