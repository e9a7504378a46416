"""Which domains are worth a try for a gang of members that cannot be counted, and what the tries found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.placement.constraints.within import ELSEWHERE, UNTRIED, AllowedDomains
from bayplan.placement.gangs.domain_rooms import are_counted, free_cards, most_members

if TYPE_CHECKING:
    from collections.abc import Collection

    import numpy.typing as npt

    from bayplan.cluster.topology import Level
    from bayplan.placement.gangs.trial import Trial

    Numbers = npt.NDArray[np.int64]

FEWEST_TRIES = 8
"""Domains that are tried at least, however large the gang is: fewer would miss the tightest or the roomiest."""


class Tries:
    """The domains in the order in which they are tried. `rooms` is what each holds: at most, until it was tried.

    `exact` says that no domain holds more than that.
    """

    def __init__(self, rooms: Numbers, order: list[int], *, exact: bool = True) -> None:
        self.rooms, self.order, self.exact = rooms, order, exact
        self._known = np.zeros(len(rooms), np.bool_)

    @classmethod
    def only(cls, domains: int, these: Collection[int]) -> Tries:
        """Only these domains are tried, because members are there already."""
        return cls(np.full(max(1, domains), ELSEWHERE, np.int64), list(these))

    @classmethod
    def of(cls, trial: Trial, level: Level, desired: int, minimum: int, tries: int) -> Tries:
        """Domains that might hold enough. Where members can be counted, nothing is left to be tried.

        Where there are more domains than may be tried, the room of the others stays unknown: UNTRIED.
        """
        domains = trial.snapshot.domains[level]
        most = most_members(trial, level)
        if not len(most):
            return cls(np.zeros(1, np.int64), [])
        tightest = np.argsort(free_cards(trial, domains), kind="stable")  # stable: equals in the order of their numbers
        order = worth_trying(most, tightest, desired, minimum, max(FEWEST_TRIES, tries))
        if are_counted(trial):
            found = cls(most, [])
            found._known[:] = True
            return found
        untried = most >= minimum
        untried[order] = False
        return cls(np.where(untried, UNTRIED, most), order, exact=not untried.any())

    def found(self, domain: int, members: int, *, exact: bool) -> None:
        """What a try found."""
        self.rooms[domain], self._known[domain] = members, True
        self.exact &= exact

    def within(self, level: Level, wanted: int, allowed: Collection[int] | Numbers) -> AllowedDomains:
        """The same for the filter."""
        return AllowedDomains(level, np.array(allowed, np.int64), wanted, self.rooms, ~self._known)


def worth_trying(most: Numbers, tightest: npt.NDArray[np.intp], desired: int, minimum: int, tries: int) -> list[int]:
    """The domains that might hold all members, the tightest first; then others with enough room, the roomiest first.

    Where there are more domains than may be tried, half of the tries go to the tightest and half to the roomiest.
    """
    enough, some = tightest[most[tightest] >= desired], tightest[most[tightest] < desired]
    some = some[most[some] >= minimum]
    if len(enough) > tries:
        # The second slice counts from the end, so that both together are `tries`; it is turned, the roomiest first.
        enough = np.concatenate([enough[: tries // 2], enough[tries // 2 - tries :][::-1]])
    roomiest = some[np.argsort(-most[some], kind="stable")]
    return [*enough.tolist(), *roomiest[:tries].tolist()]
