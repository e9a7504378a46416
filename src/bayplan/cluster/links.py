"""How the cards of one worker are connected: kind and GB/s between every two of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from itertools import combinations
from typing import TYPE_CHECKING

from bayplan.cluster.gpu import CardId
from bayplan.cluster.quantities import refuse_negative
from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from bayplan.cluster.gpu import Gpu

NVLINK = "nvlink"
PCIE = "pcie"

PCIE_GB_PER_S = {1: 4.0, 2: 8.0, 3: 16.0, 4: 32.0, 5: 64.0, 6: 128.0}
"""By generation, sixteen lanes."""

# The eight pairs of the cube mesh that are joined by two bricks instead of one.
_DOUBLE = frozenset({(0, 3), (2, 3), (1, 2), (1, 5), (5, 6), (6, 7), (4, 7), (0, 4)})


class Wiring(StrEnum):
    """The short forms: layouts that machines are sold with."""

    NVSWITCH = "nvswitch"
    NVLINK_PAIRS = "nvlink-pairs"
    NVLINK_QUADS = "nvlink-quads"
    HYBRID_CUBE_MESH = "hybrid-cube-mesh"
    PCIE = "pcie"


@dataclass(frozen=True, slots=True)
class Link:
    """What joins two cards; the bandwidth is None where it is not known."""

    kind: str
    bandwidth_gb_per_s: float | None = None


@dataclass(frozen=True, slots=True)
class LinkSpec:
    """A listed link: two cards, by index or as `rocm:0`, what joins them and, where known, how fast."""

    first: CardId | int
    second: CardId | int
    kind: str
    bandwidth_gb_per_s: float | None = None


@dataclass(frozen=True)
class LinkMatrix:
    """The links of a worker; cards are counted by their position in the worker's list, not by their index.

    A worker whose links are not described has no matrix at all: unknown is not PCIe.
    """

    cards: tuple[CardId, ...]
    links: tuple[Link, ...]
    """Of every pair (0, 1), (0, 2) … (1, 2) …, in the order of `itertools.combinations`."""

    def __post_init__(self) -> None:
        count = len(self.cards)
        if len(self.links) != count * (count - 1) // 2:
            raise InputError(f"{len(self.links)} links do not join {count} cards", place="links")

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Worked out once: what is known of sets of cards is kept per matrix."""
        return hash((self.cards, self.links))

    def between(self, first: int, second: int) -> Link:
        """The link of two different positions, either way round."""
        low, high = (first, second) if first < second else (second, first)
        if low == high:
            raise ValueError("a card has no link to itself")
        # The place of the pair in `combinations`: the pairs of all lower cards come before those of `low`.
        return self.links[low * (2 * len(self.cards) - low - 1) // 2 + high - low - 1]

    @cached_property
    def nvlink_neighbours(self) -> tuple[int, ...]:
        """For each position the bit mask of the positions that NVLink joins it to."""
        masks = [0] * len(self.cards)
        for (a, b), link in zip(combinations(range(len(self.cards)), 2), self.links, strict=True):
            if link.kind == NVLINK:
                masks[a] |= 1 << b
                masks[b] |= 1 << a
        return tuple(masks)

    @cached_property
    def islands(self) -> tuple[tuple[int, ...], ...]:
        """The components that NVLink joins, in order of their first card; a card without NVLink is alone."""
        rest, found = (1 << len(self.cards)) - 1, []
        while rest:
            island = self._reached(rest & -rest, rest)  # from the lowest card that is in no island yet
            found.append(tuple(position for position in range(len(self.cards)) if island >> position & 1))
            rest &= ~island
        return tuple(found)

    def smallest_bandwidth(self, positions: Sequence[int]) -> float | None:
        """The slowest link within a set of two or more; None where one of them is not known."""
        speeds = [self.between(a, b).bandwidth_gb_per_s for a, b in combinations(positions, 2)]
        known = [speed for speed in speeds if speed is not None]
        return min(known) if known and len(known) == len(speeds) else None

    def _reached(self, start: int, allowed: int) -> int:
        reached, edge = start, start
        while edge:
            lowest = edge & -edge
            fresh = self.nvlink_neighbours[lowest.bit_length() - 1] & allowed & ~reached
            reached |= fresh
            edge = (edge ^ lowest) | fresh
        return reached


@dataclass(frozen=True, slots=True)
class _Port:
    """What a link's default depends on; workers with equal ports share one matrix."""

    card: CardId
    nvlink_gb_per_s: float | None
    pcie_gen: int | None


def wire(wiring: Wiring, gpus: Sequence[Gpu]) -> LinkMatrix:
    """The matrix of a short form; groups follow the cards' indices, and vendors are never mixed."""
    return _wire(wiring, _ports(gpus))


def wire_listed(specs: Iterable[LinkSpec], gpus: Sequence[Gpu]) -> LinkMatrix:
    """The matrix of a list of links; a pair that is not listed is PCIe."""
    ports = _ports(gpus)
    position = {port.card: number for number, port in enumerate(ports)}
    listed: dict[tuple[int, int], Link] = {}
    for number, spec in enumerate(specs):
        place = f"links[{number}]"
        pair = _pair(spec, position, place)
        link = _listed_link(spec, ports[pair[0]], ports[pair[1]], place)
        if listed.setdefault(pair, link) != link:
            raise InputError("these two cards have another link already", place=place, next="list each pair once")
    return _matrix(ports, lambda a, b: listed.get((position[a.card], position[b.card])))


def _ports(gpus: Sequence[Gpu]) -> tuple[_Port, ...]:
    return tuple(
        _Port(gpu.card, entry.nvlink_gb_per_s if (entry := gpu.catalogue_entry) else None, gpu.pcie_gen) for gpu in gpus
    )


@lru_cache(maxsize=4096)
def _wire(wiring: Wiring, ports: tuple[_Port, ...]) -> LinkMatrix:
    return _matrix(ports, _RULES[wiring])


def _matrix(ports: Sequence[_Port], rule: Callable[[_Port, _Port], Link | None]) -> LinkMatrix:
    return LinkMatrix(
        tuple(port.card for port in ports),
        tuple(rule(a, b) or _pcie(a, b) for a, b in combinations(ports, 2)),
    )


def _pcie(a: _Port, b: _Port) -> Link:
    """The older card sets the pace."""
    if a.pcie_gen is None or b.pcie_gen is None:
        return Link(PCIE)
    return Link(PCIE, PCIE_GB_PER_S.get(min(a.pcie_gen, b.pcie_gen)))


def _nvlink_speed(a: _Port, b: _Port) -> float | None:
    if a.nvlink_gb_per_s is None or b.nvlink_gb_per_s is None:
        return None
    return min(a.nvlink_gb_per_s, b.nvlink_gb_per_s)


def _groups_of(size: int, peers: int) -> Callable[[_Port, _Port], Link | None]:
    """Groups of neighbouring indices; a card divides its NVLink among its peers."""

    def rule(a: _Port, b: _Port) -> Link | None:
        if a.card.runtime != b.card.runtime or a.card.index // size != b.card.index // size:
            return None
        speed = _nvlink_speed(a, b)
        return Link(NVLINK, None if speed is None else speed / peers)

    return rule


def _switched(a: _Port, b: _Port) -> Link | None:
    return Link(NVLINK, _nvlink_speed(a, b)) if a.card.runtime == b.card.runtime else None


def _cube_mesh(a: _Port, b: _Port) -> Link | None:
    low, high = sorted((a.card.index, b.card.index))
    # Two groups of four cards: all joined inside a group, and each card to its counterpart in the other.
    if a.card.runtime != b.card.runtime or high >= 8 or (low // 4 != high // 4 and high - low != 4):
        return None
    return Link(NVLINK, 100.0 if (low, high) in _DOUBLE else 50.0)  # GB/s of two bricks, or of one


def _none(_a: _Port, _b: _Port) -> Link | None:
    return None


_RULES: dict[Wiring, Callable[[_Port, _Port], Link | None]] = {
    Wiring.NVSWITCH: _switched,
    Wiring.NVLINK_PAIRS: _groups_of(2, peers=1),
    Wiring.NVLINK_QUADS: _groups_of(4, peers=3),
    Wiring.HYBRID_CUBE_MESH: _cube_mesh,
    Wiring.PCIE: _none,
}


def _pair(spec: LinkSpec, position: dict[CardId, int], place: str) -> tuple[int, int]:
    ends = []
    for number, end in enumerate((spec.first, spec.second)):
        card = end if isinstance(end, CardId) else _by_index(end, position)
        if card not in position:
            known = ", ".join(map(str, position)) or "none"
            raise InputError(f"no card is {end}", place=f"{place}[{number}]", next=f"the worker's cards are {known}")
        ends.append(position[card])
    if ends[0] == ends[1]:
        raise InputError("a card has no link to itself", place=place, next="name two cards")
    return min(ends), max(ends)


def _by_index(index: int, position: dict[CardId, int]) -> CardId | None:
    """The first card with that index: where two vendors share one, the other is written `rocm:0`."""
    return next((card for card in position if card.index == index), None)


def _listed_link(spec: LinkSpec, a: _Port, b: _Port, place: str) -> Link:
    kind, speed = spec.kind.lower(), spec.bandwidth_gb_per_s
    refuse_negative({f"{place}[3]": speed})
    if speed is not None:
        return Link(kind, float(speed))
    if kind == PCIE:
        return _pcie(a, b)
    return Link(kind, _nvlink_speed(a, b) if kind == NVLINK else None)
