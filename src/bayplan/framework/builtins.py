"""The framework's own plugins, listed by hand."""

from __future__ import annotations

from bayplan.framework.filters.sample import Sample
from bayplan.framework.filters.subset import Subset
from bayplan.framework.handlers.single_profile import SingleProfile
from bayplan.framework.pickers.max_score import MaxScore
from bayplan.framework.pickers.random import Random
from bayplan.framework.pickers.weighted_random import WeightedRandom


def builtins() -> tuple[type, ...]:
    """Every plugin that the framework brings; outer rings hand over theirs beside them."""
    return (MaxScore, Random, WeightedRandom, SingleProfile, Sample, Subset)
