"""Profiles as placement runs them: a strategy's own plugins, completed by what every replica needs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.cluster.columns import MASK_CARDS
from bayplan.framework.evaluation.binding import explain_reads
from bayplan.framework.pickers.max_score import MaxScore
from bayplan.framework.profile import Named, Profile, Weighted
from bayplan.placement.asks.ask import Taking
from bayplan.placement.cards.numa.zones import any_strict
from bayplan.placement.decision.bookings import Devices
from bayplan.placement.decision.domain_bookings import DomainDevices
from bayplan.placement.filters.bandwidth import Bandwidth
from bayplan.placement.filters.gpu_fit import GpuFit
from bayplan.placement.filters.locality import NearCards
from bayplan.placement.filters.mig_fit import MigFit
from bayplan.placement.filters.numa_single_node import NumaSingleNode
from bayplan.placement.producers.aligned_cards import AlignedCards
from bayplan.placement.producers.aligned_slices import AlignedSlices
from bayplan.placement.producers.card_fit import CardFit
from bayplan.placement.producers.chosen_cards import ChosenCards
from bayplan.placement.producers.even_cards import EvenCards
from bayplan.placement.producers.even_mig_cards import EvenMigCards
from bayplan.placement.producers.mig_cards import MigCards
from bayplan.placement.producers.one_card import OneCard
from bayplan.placement.producers.one_share import OneShare
from bayplan.placement.producers.roomy_cards import RoomyCards
from bayplan.placement.producers.slice_keys import SliceKeys
from bayplan.placement.producers.whole_cards import WholeCards
from bayplan.placement.scorers.domain_score import DomainScore
from bayplan.placement.scorers.fewest_cards import FewestCards
from bayplan.placement.scorers.model_preference import ModelPreference

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from bayplan.cluster.snapshot import Snapshot
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.cards.choose import CardOrder

DOMAINS = "domains"
"""The profile that chooses among domains."""

_PREFERS, _FEWEST, _SLICES = "+model-preference", "+fewest-cards", "+slices"
_ONE_CARD, _ONE_SHARE, _WHOLE_CARDS, _NEAR_CARDS = "+one-card", "+one-share", "+whole-cards", "+near-cards"
_NEAR = (NearCards, Bandwidth)
_QUICK: dict[str, OneCard | OneShare | WholeCards] = {
    _ONE_CARD: OneCard(),
    _ONE_SHARE: OneShare(),
    _WHOLE_CARDS: WholeCards(),
    _NEAR_CARDS: WholeCards(),
}
_CHOOSERS: dict[CardOrder, ChosenCards | EvenCards | RoomyCards] = {
    "tight": ChosenCards(),
    "even": EvenCards(),
    "roomy": RoomyCards(),
}


def variant_of(strategy: str, ask: Ask) -> str:
    """The variant of a strategy that an ask needs: levels that could not tell workers apart are left out."""
    if ask.quick and ask.taking is Taking.WHOLE:
        return strategy + (_NEAR_CARDS if ask.locality is not None or ask.min_bandwidth_gb_per_s else _WHOLE_CARDS)
    if ask.quick:
        return strategy + (_ONE_SHARE if ask.by_compute else _ONE_CARD)
    prefers = _PREFERS if len(ask.rule.models) > 1 else ""
    if ask.taking is Taking.SLICES:
        return strategy + _SLICES + prefers
    fewest = _FEWEST if len(ask.shapes) > 1 or ask.layers is not None or ask.overcommit else ""
    return strategy + prefers + fewest


def variants(profile: Profile, snapshot: Snapshot, further: Iterable[Any] = ()) -> Iterator[Profile]:
    """The profile with each combination of placement's own levels; `further` are filters that this workload needs."""
    order = card_order(profile)
    first = min((each.level for each in profile.weighted), default=0)
    zoned = any_strict(snapshot.pools)
    completed = replace(
        profile,
        filters=(*_zone_filters(profile, zoned=zoned), *further),
        scorers=profile.weighted or (Weighted(_Same(), level=first),),
        producers=tuple(_producer(each, order, zoned=zoned) for each in profile.producers),
        resolver=Devices(snapshot, order),
    )
    levels = {
        _PREFERS: Weighted(ModelPreference(), level=first - 2),
        _FEWEST: Weighted(FewestCards(), level=first - 1),
    }
    for own in ((_SLICES,), (_SLICES, _PREFERS)):
        sliced = _with_levels(completed, levels, own)
        yield replace(
            sliced, filters=_without(sliced, GpuFit, *_NEAR), producers=tuple(_for_slices(sliced, order, zoned=zoned))
        )
    completed = replace(completed, filters=_without(completed, MigFit))
    far = replace(completed, filters=_without(completed, *_NEAR))
    for names in ((), (_PREFERS,), (_FEWEST,), (_PREFERS, _FEWEST)):
        yield _with_levels(completed, levels, names)
    for name, producer in _QUICK.items():
        quick = completed if name == _NEAR_CARDS else far
        # whole cards are counted by the bits of one mask, which has MASK_CARDS bits
        narrow = not isinstance(producer, WholeCards) or _widest(snapshot) <= MASK_CARDS
        if not zoned and is_plain(quick, producer) and narrow:
            others = (each for each in quick.producers if not isinstance(_plugin(each), _REPLACED))
            quick = replace(quick, producers=(*others, producer))
        yield replace(quick, name=profile.name + name)


def _with_levels(profile: Profile, levels: Mapping[str, Weighted], names: Sequence[str]) -> Profile:
    own = tuple(levels[name] for name in names if name in levels)
    return replace(profile, name="".join((profile.name, *names)), scorers=(*own, *profile.weighted))


def _without(profile: Profile, *kinds: type) -> tuple[Any, ...]:
    """The filters without these kinds, which would refuse no worker."""
    return tuple(each for each in profile.filters if not isinstance(_plugin(each), kinds))


def _for_slices(profile: Profile, order: CardOrder, *, zoned: bool) -> Iterator[Any]:
    """The producers, with the ones for whole cards replaced by one for MIG instances."""
    yield from (each for each in profile.producers if not isinstance(_plugin(each), _REPLACED))
    wanted = sorted(_read(profile) & _MADE)
    yield AlignedSlices() if zoned else SliceKeys()
    yield EvenMigCards(wanted) if order == "even" else MigCards(wanted)


_REPLACED = (CardFit, AlignedCards, ChosenCards, EvenCards, RoomyCards)
_MADE = {*CardFit.produces, *ChosenCards.produces}


def is_plain(profile: Profile, producer: OneCard | OneShare | WholeCards) -> bool:
    """Whether the plugins of the profile read no more columns about cards than this producer makes."""
    return _read(profile) & _MADE <= set(producer.produces)


def _read(profile: Profile) -> set[str]:
    """The columns that the profile's plugins read; producers that may be replaced are left out."""
    plugins = [each.plugin for each in (*profile.named_filters, *profile.named_producers)]
    plugins = [each for each in plugins if not isinstance(each, _REPLACED)]
    plugins += [each.scorer for each in profile.weighted]
    return {name for each in plugins for name in (*each.reads, *explain_reads(each))}


def domain_profile(profile: Profile, snapshot: Snapshot) -> Profile:
    """Chooses among domains by the mean score of the workers that each would use."""
    order = card_order(profile)
    resolver = DomainDevices(snapshot, Devices(snapshot, order), order)
    most = sum(abs(each.weight) for each in profile.weighted) or 1.0
    return Profile(DOMAINS, MaxScore(), scorers=(Weighted(DomainScore(most), most),), resolver=resolver)


def card_order(profile: Profile) -> CardOrder:
    """How a profile's scorers want cards to be chosen inside a worker; unless one says otherwise, tightly."""
    for each in profile.weighted:
        order: CardOrder | None = getattr(each.scorer, "cards", None)
        if order is not None:
            return order
    return "tight"


def _zone_filters(profile: Profile, *, zoned: bool) -> tuple[Any, ...]:
    """The filters, with the one for NUMA zones exactly where a worker insists on them."""
    others = _without(profile, NumaSingleNode)
    if not zoned:
        return others
    return profile.filters if len(others) < len(profile.filters) else (*others, NumaSingleNode())


def _producer(plugin: Any, order: CardOrder, *, zoned: bool) -> Any:
    if isinstance(_plugin(plugin), ChosenCards):
        return Named(_CHOOSERS[order], plugin.name)
    return Named(AlignedCards(), plugin.name) if zoned and isinstance(_plugin(plugin), CardFit) else plugin


def _plugin(use: Any) -> Any:
    return use.plugin if isinstance(use, Named) else use


def _widest(snapshot: Snapshot) -> int:
    return int(snapshot.table.columns["card_memory_mib"].shape[1])


class _Same:
    """The score 0 for a profile without scorers, so that placement's own levels are not its last."""

    name = "no-score"
    reads = ("card_count",)

    def score(self, ask: Any, rows: Any, cycle: Any) -> Any:
        return np.zeros(rows.size)
