"""How many replicas a model should have, by its lag and its idle time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.serving.autoscaling.advice import Advice, hold

if TYPE_CHECKING:
    from bayplan.serving.served_model import ServedModel


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From which values on a signal counts."""

    lag: float = 30
    idle_s: float = 30
    stable_s: float = 60


@dataclass(frozen=True, slots=True)
class ModelSignals:
    """What is measured of one version of a model; None is unknown."""

    version: int | None = None
    lag: float | None = None
    idle_s: float | None = None
    since_change_s: float | None = None


def model_advice(
    model: ServedModel, version: int, signals: ModelSignals, thresholds: Thresholds, *, available: bool
) -> Advice:
    """One replica more where requests wait, one less where nobody asks; `available`: the model is ModelAvailable."""
    replicas = model.replicas
    if not model.minimum and not model.maximum:
        return hold(replicas, "not-enabled")
    if signals.version is not None and signals.version < version:
        return hold(replicas, "old-version")
    if signals.lag is not None and signals.lag >= thresholds.lag:
        return _lagging(model, available=available)
    if signals.idle_s is not None and signals.idle_s >= thresholds.idle_s:
        return _idle(model, signals, thresholds)
    unknown = signals.lag is None and signals.idle_s is None
    return hold(replicas, "unknown-signal" if unknown else "steady")


def _lagging(model: ServedModel, *, available: bool) -> Advice:
    if not available:
        return hold(model.replicas, "not-available")
    if model.maximum is not None and model.replicas >= model.maximum:
        return hold(model.replicas, "at-maximum")
    return Advice(model.replicas, model.replicas + 1, "lag")


def _idle(model: ServedModel, signals: ModelSignals, thresholds: Thresholds) -> Advice:
    if signals.since_change_s is None or signals.since_change_s < thresholds.stable_s:
        return hold(model.replicas, "not-stable")
    if model.replicas <= max(1, model.minimum):
        return hold(model.replicas, "at-minimum")
    return Advice(model.replicas, model.replicas - 1, "idle")
