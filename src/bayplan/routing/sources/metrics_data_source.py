"""Metrics of engines over HTTP."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bayplan.routing.plugin_kinds import DATA_SOURCE


@dataclass(frozen=True, slots=True)
class MetricsDataSource:
    """Reads the metrics of each endpoint over HTTP.

    Parameters:
        scheme: `http` or `https`.
        path: the path of the metrics.
        insecure_skip_verify: whether certificates of https are not checked.
    """

    scheme: Literal["http", "https"] = "http"
    path: str = "/metrics"
    insecure_skip_verify: bool = True

    name = "metrics-data-source"
    kinds = (DATA_SOURCE,)
