"""What headers say of a request: its objective, its flow, its latency goals, and whether a cached prefix is a must."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

OBJECTIVE = ("x-llm-d-inference-objective", "x-gateway-inference-objective")
FAIRNESS_ID = ("x-llm-d-inference-fairness-id", "x-gateway-inference-fairness-id")
MODEL_REWRITE = ("x-llm-d-model-name-rewrite", "x-gateway-model-name-rewrite")
SLO_TTFT_MS = ("x-llm-d-slo-ttft-ms", "x-slo-ttft-ms")
SLO_TPOT_MS = ("x-llm-d-slo-tpot-ms", "x-slo-tpot-ms")
"""Each under its present name, then under its former one."""


class LowerCased(dict[str, str]):
    """Headers whose names are in lower case already: they are taken as they are, and shared by requests."""

    __slots__ = ()


ALL = frozenset((*OBJECTIVE, *FAIRNESS_ID, *MODEL_REWRITE, *SLO_TTFT_MS, *SLO_TPOT_MS))
"""Most requests have none of them."""


def first_of(headers: Mapping[str, str], names: tuple[str, ...]) -> str | None:
    """The value of the first of these headers that is there and not empty."""
    for name in names:
        value = headers.get(name)
        if value:
            return value
    return None


def number_of(headers: Mapping[str, str], names: tuple[str, ...]) -> float | None:
    """The same as a number; what is none counts as absent."""
    value = first_of(headers, names)
    if value is None:
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if isfinite(number) else None


def wants_cached_prefix(headers: Mapping[str, str]) -> bool:
    """Whether the client would rather be refused than served without a cached prefix (`Prefer: if-available`)."""
    value = headers.get("prefer")
    return value is not None and "if-available" in (each.strip().lower() for each in value.split(","))
