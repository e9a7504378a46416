"""A gang: members that are placed by one decision, or not at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.cluster.quantities import refuse_negative

if TYPE_CHECKING:
    from bayplan.cluster.topology import Level


@dataclass(frozen=True, slots=True)
class MinResources:
    """What must be free in the cluster as a sum; `cards` are whole ones. 0 asks for nothing."""

    cpu_milli: int = 0
    ram_mib: int = 0
    cards: int = 0

    def __post_init__(self) -> None:
        refuse_negative({"cpu": self.cpu_milli, "memory": self.ram_mib, "cards": self.cards})

    @property
    def any(self) -> bool:
        """Whether it asks for anything."""
        return bool(self.cpu_milli or self.ram_mib or self.cards)


@dataclass(frozen=True, slots=True)
class Gang:
    """Place what is desired, else as many as fit but at least `minimum` (None: all), else nothing.

    `within` keeps the members inside one domain of that level. Where `min_resources` are not free as a sum over the
    cluster, the members' own held places counted as free, no member is placed.
    A gang that is not `declared` is only named by its members: none of them is placed.
    """

    minimum: int | None = None
    within: Level | None = None
    min_resources: MinResources | None = None
    declared: bool = True

    def __post_init__(self) -> None:
        refuse_negative({"minimum": self.minimum})

    def least(self, desired: int) -> int:
        """How many of the desired members must be placed for any to be; never fewer than one.

        A minimum above what is desired cannot be met: it stays as it is, so that nothing is placed.
        """
        return max(1, desired if self.minimum is None else self.minimum)
