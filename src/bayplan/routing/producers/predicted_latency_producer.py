"""Predicted latencies of endpoints."""

from __future__ import annotations

from dataclasses import dataclass

from bayplan.routing.factors.no_columns import NoColumns


@dataclass(frozen=True, slots=True)
class PredictedLatencyProducer(NoColumns):
    """Read, but without effect of its own: predictions are part of the table of endpoints.

    Whoever predicts reports them with the endpoint; this router does not predict by itself.

    Parameters:
        streaming_mode: whether latencies of single tokens are predicted; it has no effect here.
    """

    streaming_mode: bool = False

    name = "predicted-latency-producer"
