"""When a scheduler looks ahead: the mix that it uses, and the outlook that its scorers read, made in epochs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bayplan.framework.profile import Weighted
from bayplan.placement.packing.outlook import look_out
from bayplan.placement.scorers.binpack import Binpack
from bayplan.placement.scorers.headroom import Headroom

if TYPE_CHECKING:
    from bayplan.cluster.snapshot import Snapshot
    from bayplan.framework.profile import Profile
    from bayplan.placement.packing.mix import Mix

EPOCH = 2000
"""Decisions that are made under the same prices; new prices cost far more than a decision."""

FIRST = 16
"""Workloads that are seen before a learnt mix is used: fewer say nothing about the next ones."""

STRATEGY = "pack"


class Foresight:
    """Keeps the outlook of one snapshot up to date.

    An outlook is a shared value of the table, and refreshing it makes forks stale: only decisions on the table itself
    count towards an epoch. While a mix is being learnt, an epoch begins each time the number of workloads seen doubles.
    """

    def __init__(self, snapshot: Snapshot, mix: Mix) -> None:
        self.mix = mix
        self._table = snapshot.table
        self._left = self._epoch = 0
        if mix.given or mix.seen >= FIRST:
            self.refresh()

    @property
    def known(self) -> bool:
        """Whether strategies may use the mix although their configuration does not ask for it."""
        return self.mix.known and self._epoch > 0

    @property
    def epoch(self) -> int:
        """How often the outlook was made so far."""
        return self._epoch

    def look_as_of(self, epoch: int) -> None:
        """Make the outlook that was made as the n-th one, counted from 1."""
        self._epoch = epoch - 1
        self.refresh()

    def tick(self) -> None:
        """A decision is about to be made on the table itself."""
        if self._left <= 0 and (self.mix.given or self.mix.seen >= FIRST):
            self.refresh()
        self._left -= 1

    def refresh(self) -> None:
        """Look again, at the mix and at what is free now."""
        self._table.refresh(outlook=look_out(self.mix, self._table, self._epoch))
        self._epoch += 1
        # after as many again, the number seen has doubled
        self._left = EPOCH if self.mix.given else min(EPOCH, self.mix.seen)


def looking_ahead(profile: Profile) -> Profile:
    """The strategy `pack` with `headroom` in the place of `binpack`; every other profile as it is."""
    if profile.name != STRATEGY:
        return profile
    scorers = tuple(
        Weighted(Headroom(), each.weight, each.level) if isinstance(each.scorer, Binpack) else each
        for each in profile.weighted
    )
    return replace(profile, scorers=scorers)
