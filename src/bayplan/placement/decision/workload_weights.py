"""The weights that a workload itself gives to scorers of the profile that serves it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bayplan.framework.profile import Weighted
from bayplan.placement.scorers.carbon import Carbon
from bayplan.placement.scorers.preferred_region import PreferredRegion

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from bayplan.framework.profile import Profile

ADDED: dict[str, type[Carbon | PreferredRegion]] = {Carbon.name: Carbon, PreferredRegion.name: PreferredRegion}
"""What a workload may add to a profile; of the others it only changes the weight, where the profile holds them."""


def reweighted(profile: Profile, weights: Sequence[tuple[str, float]]) -> Profile:
    """The profile with these weights, each in percent of what the scorers of its level weigh together.

    The other scorers of the level share the rest in proportion, which may be nothing. A scorer of ADDED is put on the
    last level with its percentage of that level. Other scorers that the configuration left out stay out, and a scorer
    of ADDED that the configuration has keeps the weight given there.
    """
    if not weights:
        return profile
    there = {name for each in profile.weighted for name in (each.key, each.scorer.name)}
    fixed = {name: percent for name, percent in weights if name in there and name not in ADDED}
    levels = sorted({each.level for each in profile.weighted})
    shared = [use for level in levels for use in _shared(_on(profile, level), fixed)]
    last = levels[-1] if levels else 0
    whole = _sum(_on(profile, last)) or 100.0
    added = [
        Weighted(ADDED[name](), whole * percent / 100, last)
        for name, percent in weights
        if name in ADDED and name not in there
    ]
    return replace(profile, scorers=(*shared, *added))


def _on(profile: Profile, level: int) -> list[Weighted]:
    return [each for each in profile.weighted if each.level == level]


def _sum(uses: Sequence[Weighted]) -> float:
    return sum(abs(each.weight) for each in uses)


def _shared(uses: Sequence[Weighted], fixed: Mapping[str, float]) -> Iterator[Weighted]:
    """One level: the fixed ones get their percent of all, the rest is divided among the others."""
    whole = _sum(uses)
    named = [each for each in uses if each.scorer.name in fixed]
    others = _sum(uses) - _sum(named)
    left = max(0.0, 100.0 - sum({each.scorer.name: fixed[each.scorer.name] for each in named}.values())) / 100
    for each in uses:
        if each.scorer.name in fixed:
            alike = [other for other in named if other.scorer.name == each.scorer.name]
            yield replace(each, weight=whole * fixed[each.scorer.name] / 100 / len(alike))
        else:
            yield replace(each, weight=each.weight * whole * left / others) if named and others else each
