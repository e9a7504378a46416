"""Which sets of a worker's cards are near enough to each other, and in which island: what is found is kept."""

from __future__ import annotations

from functools import cached_property, lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from bayplan.cluster.columns import MASK_CARDS
from bayplan.cluster.workload import Locality
from bayplan.placement.cards.masks import mask_of, positions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from bayplan.cluster.links import LinkMatrix
    from bayplan.placement.cards.masks import Masks

    Lacks = npt.NDArray[np.int8]

APART, SLOW = 1, 2
"""What cards may lack, as bits: no set of them is where the locality wants it, or none is fast enough."""

NO_ISLAND = 1 << 20
"""The size where there is no island: larger than any worker, so that every island comes first."""

MOST_STEPS = 200_000
"""A bound on the search on workers with more than `MASK_CARDS` cards; smaller workers are searched fully."""

_UNKNOWN = -1
"""A mask whose lack was not worked out yet; lacks themselves are bits, 0 to 3."""

T = TypeVar("T")


class Option(NamedTuple):
    """Cards of which a set may be taken, in an island with `size` candidates; `sets` None: any of them together."""

    size: int
    cards: int
    sets: tuple[int, ...] | None = None


class NearSets:
    """Sets of `count` cards under one demand, on one kind of worker; every question is a mask of candidates.

    `near` joins two cards that may be neighbours in a set; `together` two cards that may be in one set at all. A set is
    allowed if `near` connects it and every two of it are `together`. Sets lie inside parts of what `near` connects.
    """

    def __init__(
        self, links: LinkMatrix | None, numa: tuple[int, ...], locality: Locality | None, gb_per_s: float, count: int
    ) -> None:
        self.links, self.numa, self.count, self.width = links, numa, count, len(numa)
        self.locality, self.gb_per_s = (locality, gb_per_s) if count > 1 else (None, 0.0)  # one card needs no link
        self.joined = (0,) * self.width if links is None else links.nvlink_neighbours
        self.demands = self.locality is not None or self.gb_per_s > 0
        self.near, self.together = self._neighbours()
        self._options: dict[int, tuple[Option, ...]] = {}
        self._lacks: dict[int, int] = {}

    def _neighbours(self) -> tuple[Sequence[int], Sequence[int]]:
        everybody = ((1 << self.width) - 1,) * self.width
        fast = self._fast() if self.gb_per_s > 0 else everybody
        if not self.demands:
            return everybody, everybody
        if self.locality is Locality.NVLINK:
            return [a & b for a, b in zip(self.joined, fast, strict=True)], fast
        if self.locality is Locality.SAME_SOCKET:
            fast = [a & b for a, b in zip(self._sockets(), fast, strict=True)]
        return fast, fast

    def _fast(self) -> Sequence[int]:
        """For each card the cards that it reaches fast enough; an unknown speed is not fast enough."""
        masks = [0] * self.width
        if self.links is not None:
            for (a, b), link in zip(combinations(range(self.width), 2), self.links.links, strict=True):
                if (link.bandwidth_gb_per_s or 0.0) >= self.gb_per_s:
                    masks[a] |= 1 << b
                    masks[b] |= 1 << a
        return masks

    def _sockets(self) -> Sequence[int]:
        """For each card the cards on its socket; a card whose socket is not known has none."""
        masks = {zone: mask_of(place for place, each in enumerate(self.numa) if each == zone) for zone in self.numa}
        return [masks[zone] if zone >= 0 else 0 for zone in self.numa]

    def lacks(self, mask: int) -> int:
        """What these candidates lack: 0 where a set of them is allowed, or where they are too few to judge."""
        found = self._lacks.get(mask)
        if found is None:
            found = _kept(self._lacks)[mask] = self._lacking(mask)
        return found

    @cached_property
    def known_lacks(self) -> Lacks:
        """`lacks` of every mask, as far as it was asked for."""
        return np.full(1 << self.width, _UNKNOWN, np.int8)

    def lacks_each(self, masks: Masks) -> Lacks:
        """`lacks` of many masks; they are Python's numbers where another worker has too many cards for NumPy's."""
        if self.width > MASK_CARDS:
            return np.array([self.lacks(each) for each in masks.tolist()], np.int8)
        masks = masks.astype(np.int64, copy=False)
        found = self.known_lacks.take(masks)
        if (found == _UNKNOWN).any():
            for each in np.unique(masks[found == _UNKNOWN]).tolist():
                self.known_lacks[each] = self._lacking(each)
            found = self.known_lacks.take(masks)
        return found

    def _lacking(self, mask: int) -> int:
        if not self.demands or mask.bit_count() < self.count or self.allows(mask):
            return 0
        apart = self.locality is not None and not self._under(self.locality, 0.0).allows(mask)
        # Where the locality can be had, only the speed can be missing.
        slow = self.gb_per_s > 0 and not (apart and self._under(None, self.gb_per_s).allows(mask))
        return APART * apart + SLOW * slow

    def allows(self, mask: int) -> bool:
        """Whether a set of these candidates is allowed; what is connected contains connected sets of every size."""
        connected = self.locality is Locality.NVLINK and not self.gb_per_s
        return any(connected or self.is_complete(part) or self.sets(part) for part in self.parts(mask))

    def _under(self, locality: Locality | None, gb_per_s: float) -> NearSets:
        return near_sets(self.links, self.numa, locality, gb_per_s, self.count)

    def options(self, mask: int) -> tuple[Option, ...]:
        """From what of these candidates a set may be taken, smallest island first; nothing where no set is allowed."""
        found = self._options.get(mask)
        if found is None:
            found = _kept(self._options)[mask] = tuple(sorted(self._found(mask), key=lambda each: each.size))
        return found

    def _found(self, mask: int) -> Iterator[Option]:
        for part in self.parts(mask):
            sets = None if self.is_complete(part) else self.sets(part)
            for size, island in self._islands(part, mask):
                inside = None if sets is None else tuple(each for each in sets if not each & ~island)
                if island.bit_count() >= self.count and (inside is None or inside):
                    yield Option(size, island, inside)

    def _islands(self, part: int, mask: int) -> Iterator[tuple[int, int]]:
        """The islands that a part touches, with the number of candidates in them."""
        if self.locality is Locality.SAME_SOCKET:
            # of the lowest card: all cards of a part are on one socket
            zone = self.numa[(part & -part).bit_length() - 1]
            yield sum(self.numa[place] == zone for place in positions(mask)), part
            return
        for island in _components(mask, self.joined):
            if island & part and island.bit_count() >= self.count > 1:
                yield island.bit_count(), island & part
        if self.locality is None:
            yield NO_ISLAND, part

    def parts(self, mask: int) -> list[int]:
        """The candidates apart from each other, where enough of them are together."""
        if not self.demands:
            return [mask] if mask.bit_count() >= self.count else []
        return [part for part in _components(mask, self.near) if part.bit_count() >= self.count]

    def is_complete(self, part: int) -> bool:
        """Whether any `count` cards of a part are an allowed set."""
        # No card of the part lies outside the neighbours of another; `near` need not contain the card itself.
        return not self.demands or all(not part & ~(self.near[place] | 1 << place) for place in positions(part))

    def sets(self, part: int) -> tuple[int, ...]:
        """The allowed sets in a part, lowest cards first."""
        if self.width <= MASK_CARDS:
            return tuple(self._all_sets[(self._all_sets & ~part) == 0].tolist())  # no bit outside the part
        return _in_order(_grown(part, self.near, self.together, self.count, MOST_STEPS))

    @cached_property
    def _all_sets(self) -> npt.NDArray[np.int64]:
        """Of a worker with few cards every allowed set: what is in a part is looked up among them."""
        everybody = (1 << self.width) - 1
        return np.array(_in_order(_grown(everybody, self.near, self.together, self.count)), np.int64)

    def most_near(self, mask: int) -> int:
        """The largest number of candidates that are where the locality wants them, however fast."""
        if not mask:
            return 0
        if self.locality is Locality.SAME_SOCKET:
            zones = [self.numa[place] for place in positions(mask)]
            # 0, because max of one number is an error
            return max(1, *(zones.count(zone) for zone in zones if zone >= 0), 0)
        return max(part.bit_count() for part in _components(mask, self.joined))

    def best_gb_per_s(self, mask: int) -> float | None:
        """The most that every two cards of some set reach that the locality allows; None where it is not known."""
        if self.links is None:
            return None
        speeds = sorted({link.bandwidth_gb_per_s or 0.0 for link in self.links.links}, reverse=True)
        for speed in speeds:
            if speed > 0 and self._under(self.locality, speed).allows(mask):
                return speed
        return None


@lru_cache(maxsize=4096)
def near_sets(
    links: LinkMatrix | None, numa: tuple[int, ...], locality: Locality | None, gb_per_s: float, count: int
) -> NearSets:
    """The sets of that many cards under that demand on workers of that kind, with all that was found out so far."""
    return NearSets(links, numa, locality, gb_per_s, count)


def _kept(answers: dict[int, T]) -> dict[int, T]:
    """Answers that are forgotten once there are too many: a worker with many cards has no end of masks."""
    if len(answers) >= 1 << MASK_CARDS:  # all masks of a worker with up to MASK_CARDS cards are kept
        answers.clear()
    return answers


def _components(mask: int, neighbours: Sequence[int]) -> Iterator[int]:
    """What neighbours connect inside a mask, lowest cards first; a path through others does not count."""
    while mask:
        # begins with the lowest card; `edge` are cards whose neighbours are still to be added
        reached = edge = mask & -mask
        while edge:
            lowest = edge & -edge
            fresh = neighbours[lowest.bit_length() - 1] & mask & ~reached
            reached |= fresh
            edge = (edge ^ lowest) | fresh
        yield reached
        mask &= ~reached


def _in_order(sets: Iterator[int]) -> tuple[int, ...]:
    return tuple(sorted(sets, key=lambda each: tuple(positions(each))))


def _grown(
    cards: int, near: Sequence[int], together: Sequence[int], count: int, most_steps: int | None = None
) -> Iterator[int]:
    """Every set of `count` cards that `near` connects and that are all `together`, each once.

    A set grows from its lowest card by neighbours; one that was passed over is not taken further down.
    """
    steps = 0
    stack = [(1 << root, near[root], cards & together[root] & ~((2 << root) - 1)) for root in positions(cards)]
    stack.reverse()
    while stack and (most_steps is None or steps < most_steps):
        steps += 1
        held, edge, allowed = stack.pop()
        size = held.bit_count()
        if size == count:
            yield held
            continue
        edge &= allowed
        if not edge or size + allowed.bit_count() < count:
            continue
        lowest = edge & -edge
        place = lowest.bit_length() - 1
        allowed &= ~lowest
        stack.append((held, edge, allowed))
        stack.append((held | lowest, edge | near[place], allowed & together[place]))
