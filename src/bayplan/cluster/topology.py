"""Where a worker is: region, zone, block, rack and NVLink domain."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum


def _digest(name: str) -> str:
    # `surrogatepass`, because a lone surrogate in a name must not be an error here.
    return hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


class Level(StrEnum):
    """The levels of the tree, outermost first."""

    REGION = "region"
    ZONE = "zone"
    BLOCK = "block"
    RACK = "rack"
    NVLINK_DOMAIN = "nvlink-domain"

    @property
    def depth(self) -> int:
        return LEVELS.index(self)


LEVELS: tuple[Level, ...] = tuple(Level)

SAME_WORKER = 1.0
CLOSENESS = {
    Level.REGION: 0.2,
    Level.ZONE: 0.4,
    Level.BLOCK: 0.6,
    Level.RACK: 0.8,
    Level.NVLINK_DOMAIN: 0.8,
}
"""What it counts to share a level; never less the further in."""


@dataclass(frozen=True, slots=True)
class TopologyPath:
    """The names of a worker's domains; None where no name is given."""

    region: str | None = None
    zone: str | None = None
    block: str | None = None
    rack: str | None = None
    nvlink_domain: str | None = None

    @property
    def names(self) -> tuple[str | None, ...]:
        """The names in the order of LEVELS."""
        return (self.region, self.zone, self.block, self.rack, self.nvlink_domain)

    def domain(self, level: Level) -> tuple[str | None, ...] | None:
        """What identifies the domain at a level: all names down to it; None where the level has no name.

        Rack `k1` of one zone is not rack `k1` of another.
        """
        names = self.names[: level.depth + 1]
        return names if names[-1] is not None else None

    @property
    def sort_key(self) -> tuple[tuple[bool, str, str], ...]:
        """Orders workers so that every domain is one slice; what has no name comes last in its parent.

        By a hash of the name, so that the order does not depend on the alphabet.
        """
        return tuple((name is None, _digest(name or ""), name or "") for name in self.names)


NOWHERE = TopologyPath()
"""The path of a worker whose place is not known."""
