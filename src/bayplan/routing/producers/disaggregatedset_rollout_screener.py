"""Stages of one rollout."""

from __future__ import annotations

from bayplan.routing.plugin_kinds import SCREENER


class DisaggregatedsetRolloutScreener:
    """Read, but without effect: stages of several rollouts are not told apart."""

    name = "disaggregatedset-rollout-screener"
    kinds = (SCREENER,)
