"""How busy the GPUs of an endpoint are, by NVIDIA's DCGM exporter."""

from __future__ import annotations

import re
from math import isfinite
from typing import Final

from bayplan.routing.exposition.family import Exposition

ATTRIBUTE: Final = "GPUUtilization"
"""The attribute that llm-d's `dcgm-extractor` writes: the busiest GPU, from 0 to 1."""
_METRIC: Final = "DCGM_FI_DEV_GPU_UTIL"
_POD_LABELS: Final = ("pod", "exported_pod")
_RANK: Final = re.compile(r"-rank-\d{1,3}$")


def gpu_utilization(text: bytes, endpoint: str) -> float | None:
    """The utilization of the busiest GPU of an endpoint's Pod; of all GPUs where series name no Pod; None: unknown."""
    pod = _RANK.sub("", endpoint)
    found = []
    for series in Exposition(text).family(_METRIC).series:
        owner = next((series.labels[label] for label in _POD_LABELS if series.labels.get(label)), pod)
        if owner == pod and isfinite(series.value) and series.value >= 0:
            found.append(min(series.value / 100.0, 1.0))
    return max(found, default=None)
