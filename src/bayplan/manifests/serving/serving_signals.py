"""What is measured of models, as scaling takes it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bayplan.manifests.values import duration_s, flag, number, positive
from bayplan.serving.autoscaling.model_advice import ModelSignals, Thresholds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.manifests.fields import Fields


@dataclass(frozen=True, slots=True)
class ServingSignals:
    """Signals by model, from which values on they count, and whether servers are packed."""

    models: Mapping[str, ModelSignals] = field(default_factory=dict)
    thresholds: Thresholds = field(default_factory=Thresholds)
    packing: bool = False


def collect_serving_signals(fields: Fields) -> ServingSignals:
    """The signals as far as they can be read; what is absent is unknown, never 0."""
    fields.ignore("apiVersion", "kind", "metadata")
    models = {name: _model(each) for name, each in fields.named("models")}
    limits = fields.child("thresholds")
    usual = Thresholds()
    thresholds = Thresholds(
        limits.read("lag", number, usual.lag),
        limits.read("idleSeconds", duration_s, usual.idle_s),
        limits.read("stableSeconds", duration_s, usual.stable_s),
    )
    limits.finish()
    signals = ServingSignals(models, thresholds, fields.read("packing", flag, False))
    fields.finish()
    return signals


def _model(fields: Fields) -> ModelSignals:
    signals = ModelSignals(
        fields.read("version", positive),
        fields.read("lag", number),
        fields.read("idleSeconds", duration_s),
        fields.read("secondsSinceChange", duration_s),
    )
    fields.finish()
    return signals
