"""What the cards of one worker can be cut into for members that all ask for MIG instances: sums over cards."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from math import prod
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from bayplan.cluster.booking import CardBooking
from bayplan.cluster.mig import MigInstance
from bayplan.cluster.worker import uid_hash
from bayplan.placement.asks.ask import Taking
from bayplan.placement.cards.mig.instances import RUNTIME, loose_of
from bayplan.placement.cards.mig.tables import starts_of
from bayplan.placement.cards.usable import usable_places
from bayplan.placement.gangs.card_choices import CardChoice
from bayplan.placement.gangs.member_numbers import contains, largest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.cluster.mig_layout import MigLayout
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.gangs.member_numbers import Numbers
    from bayplan.placement.gangs.trial import Trial
    from bayplan.placement.gangs.worker_capacity import Holds

    Cuts: TypeAlias = Mapping[Numbers, tuple[tuple[int, int], ...]]

MOST_NUMBERS, MOST_CUTS = 4096, 2000
"""Numbers of members, and of instances, that are looked at on one worker; beyond that members are tried instead."""


class Cut(NamedTuple):
    """A planned instance: the number of its profile, its card and start; neither for an instance of no known card."""

    profile: int
    place: int | None = None
    start: int | None = None


def cut_for(trial: Trial, asks: Sequence[Ask], missing: Numbers, row: int) -> dict[Numbers, Holds] | None:
    """What a worker can hold by its slices alone: maximal numbers of members; None if they were not counted.

    The caller checks CPU, RAM and all else. All members must be allowed the same cards.
    """
    numbers = prod(most + 1 for most in missing)
    uid = uid_hash(trial.snapshot.workers[row].uid)
    cards = trial.snapshot.site(row).cards
    usable = {tuple(usable_places(ask, cards, uid)) for ask in asks}
    if any(ask.taking is not Taking.SLICES for ask in asks) or numbers > MOST_NUMBERS or len(usable) > 1:
        return None
    most = _instances(asks, missing)
    cuts = _all_cuts(trial, asks, most, row, usable.pop())
    if cuts is None:
        return None
    found: dict[Numbers, Holds] = {}
    for each in sorted(product(*(range(most + 1) for most in missing)), key=sum, reverse=True):
        if any(contains(more, each) for more in found):
            continue
        needed = tuple(_instances(asks, each).values())
        instances = next((cuts[more] for more in cuts if contains(more, needed)), None)
        if instances is not None:
            found[each] = _given(trial, asks, tuple(most), each, row, instances)
    return found


def _instances(asks: Sequence[Ask], numbers: Numbers) -> dict[str, int]:
    """How many instances of each profile these numbers of members need."""
    needed: dict[str, int] = {}
    for ask, number in zip(asks, numbers, strict=True):
        profile = ask.mig or ""
        needed[profile] = needed.get(profile, 0) + number * ask.shapes[0].cards
    return needed


def _all_cuts(
    trial: Trial, asks: Sequence[Ask], most: Mapping[str, int], row: int, usable: Sequence[int]
) -> dict[Numbers, tuple[Cut, ...]] | None:
    """Maximal numbers of instances by profile, at most the wanted ones, with their cuts."""
    profiles = tuple(most)
    holding = trial.snapshot.holding(row, trial.table, foreseen=True)
    cards = holding.site.cards
    by_profile = {ask.mig or "": ask for ask in asks}
    loose = tuple(loose_of(by_profile[profile], holding, usable, None)[0] for profile in profiles)
    sums = {loose: tuple(Cut(number) for number, many in enumerate(loose) for _ in range(many))}
    for place in usable:
        if not holding["card_cuttable"][place]:
            continue
        more = _card_cuts(cards.layouts[place], int(holding["card_mig_taken"][place]), profiles)
        further = {}
        for (there, had), (new, cuts) in product(sums.items(), more.items()):
            total = tuple(map(min, map(sum, zip(there, new, strict=True)), most.values()))
            further[total] = (*had, *(Cut(profile, place, start) for profile, start in cuts))
        sums = {each: further[each] for each in largest(further)}
        if len(sums) > MOST_CUTS:
            return None
    return sums


@lru_cache(maxsize=1024)
def _card_cuts(layout: MigLayout, taken: int, profiles: tuple[str, ...]) -> Cuts:
    """What can be cut out of a card with the slices `taken` in use: instances of each profile, with their starts."""
    found: dict[Numbers, tuple[tuple[int, int], ...]] = {(0,) * len(profiles): ()}
    for number, profile in enumerate(profiles):
        for start, mask in starts_of(layout, profile).items():
            if taken & mask:
                continue
            for rest, cuts in _card_cuts(layout, taken | mask, profiles).items():
                more = (*rest[:number], rest[number] + 1, *rest[number + 1 :])
                found.setdefault(more, ((number, start), *cuts))
    return {each: found[each] for each in largest(found)}


def _given(
    trial: Trial,
    asks: Sequence[Ask],
    profiles: tuple[str, ...],
    numbers: Numbers,
    row: int,
    instances: Sequence[Cut],
) -> Holds:
    """The instances dealt out to the members, role by role."""
    cards = trial.snapshot.site(row).cards.cards
    left = {profile: [each for each in instances if profiles[each.profile] == profile] for profile in profiles}
    held = []
    for role, (ask, many) in enumerate(zip(asks, numbers, strict=True)):
        profile, count = ask.mig or "", ask.shapes[0].cards
        for _ in range(many):
            mine, left[profile] = left[profile][:count], left[profile][count:]
            booked = tuple(
                CardBooking(None, RUNTIME, mig=MigInstance(profile))
                if cut.place is None
                else CardBooking(cards[cut.place].index, cards[cut.place].runtime, mig=MigInstance(profile, cut.start))
                for cut in mine
            )
            held.append((role, CardChoice(ask, instances=booked)))
    return tuple(held)
