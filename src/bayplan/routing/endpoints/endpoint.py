"""An endpoint: one address that answers requests."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bayplan.routing.endpoints.engine_metrics import EngineMetrics

if TYPE_CHECKING:
    from collections.abc import Mapping

ROLE_LABEL = "llm-d.ai/role"
"""Which stages of a request an endpoint serves: prefill, decode, encode, or several of them."""


@dataclass(frozen=True, slots=True)
class CachedPrompt:
    """A prompt that an endpoint holds in its KV cache; `text` where `token_ids` is None."""

    model: str
    token_ids: tuple[int, ...] | None = None
    text: bytes = b""
    medium: str = "gpu"


@dataclass(frozen=True, slots=True)
class KnownState:
    """What a document tells of an endpoint besides its address: its state when the router first hears of it.

    `metrics_age_s` None says that the metrics do not grow old. `inflight_requests` and `inflight_tokens` are of this
    router, from before. `cached` begins with the oldest prompt.
    """

    metrics: EngineMetrics = field(default_factory=EngineMetrics)
    metrics_age_s: float | None = None
    inflight_requests: int = 0
    inflight_tokens: int = 0
    cached: tuple[CachedPrompt, ...] = ()
    encoder_cache: tuple[str, ...] = ()
    predicted_ttft_ms: float | None = None
    predicted_tpot_ms: float | None = None


@dataclass(frozen=True, slots=True)
class Endpoint:
    """What discovery knows. Its `name` is unique in the pool; `known` is given by documents only."""

    name: str
    ip: str
    port: int = 8000
    namespace: str = "default"
    labels: Mapping[str, str] = field(default_factory=dict)
    ready: bool = True
    known: KnownState | None = None
    address: str = field(init=False)

    def __post_init__(self) -> None:
        host = f"[{self.ip}]" if ":" in self.ip else self.ip
        object.__setattr__(self, "address", f"{host}:{self.port}")

    @property
    def full_name(self) -> str:
        """Its identity in a cluster: `namespace/name`."""
        return f"{self.namespace}/{self.name}"

    @property
    def role(self) -> str:
        """The stages it serves, as its label says; empty where it has none."""
        return self.labels.get(ROLE_LABEL, "")
