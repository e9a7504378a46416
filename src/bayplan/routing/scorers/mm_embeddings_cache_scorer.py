"""Prefer the endpoint that has encoded the request's pictures, videos and sounds before."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.framework.cycle import Cycle
    from bayplan.routing.endpoints.columns import EndpointRows
    from bayplan.routing.hooks import Sent
    from bayplan.routing.requests.routed_request import RoutedRequest


@dataclass(frozen=True, slots=True, eq=False)
class MmEmbeddingsCacheScorer:
    """Scores the share of the request's distinct media that the endpoint has encoded; 0 where the request has none.

    The endpoint that the scorer's profile picks has encoded them from then on.
    """

    _profiles: list[str] = field(default_factory=list, init=False, repr=False)

    name = "mm-embeddings-cache-scorer"
    reads = ("encoder_cache",)
    storages = ("lists",)
    needs = ("mm-embeddings-cache-producer",)

    def placed(self, profiles: Sequence[str]) -> None:
        """Hear in which profiles it stands: their picks encode the media."""
        self._profiles[:] = profiles

    def score(self, ask: RoutedRequest, rows: EndpointRows, cycle: Cycle) -> list[float]:
        media = set(ask.media)
        if not media:
            return [0.0] * rows.size
        return [len(media & cached) / len(media) for cached in rows.encoder_cache]

    def sent(self, request: RoutedRequest, sent: Sent, now: float) -> None:
        """Remember where the media are encoded."""
        if not request.media:
            return
        caches = sent.table.columns["encoder_cache"]
        for profile in self._profiles:
            for row in sent.rows.get(profile, ())[:1]:
                caches[row].update(request.media)
