"""An endpoint: one address that answers requests, and what was last measured there."""

from __future__ import annotations

from dataclasses import dataclass

from bayplan.cluster.frozen_map import EMPTY, FrozenMap


@dataclass(frozen=True, slots=True)
class EndpointMetrics:
    """What an engine reports about itself; None where it never did."""

    running: int | None = None
    waiting: int | None = None
    kv_usage: float | None = None
    kv_capacity_tokens: int | None = None
    cache_block_tokens: int | None = None
    cache_blocks: int | None = None
    active_loras: frozenset[str] = frozenset()
    waiting_loras: frozenset[str] = frozenset()
    max_loras: int | None = None
    updated_s: float | None = None


NOTHING_MEASURED = EndpointMetrics()


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a request may go; a Pod with several ports is as many endpoints, told apart by `rank`."""

    name: str
    address: str
    port: int
    namespace: str = "default"
    rank: int | None = None
    pod: str | None = None
    metrics_host: str | None = None
    role: str | None = None
    labels: FrozenMap[str, str] = EMPTY
    metrics: EndpointMetrics = NOTHING_MEASURED

    @property
    def id(self) -> str:
        """`NAMESPACE/NAME`, with the rank behind it where there is one."""
        rank = "" if self.rank is None else f"-rank-{self.rank}"
        return f"{self.namespace}/{self.name}{rank}"
