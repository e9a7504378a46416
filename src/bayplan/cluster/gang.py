"""A gang: members that are placed by one decision, or not at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.cluster.quantities import refuse_negative

if TYPE_CHECKING:
    from bayplan.cluster.topology import Level


@dataclass(frozen=True, slots=True)
class Gang:
    """Place what is desired, else as many as fit but at least `minimum` (None: all), else nothing.

    `within` keeps the members inside one domain of that level.
    """

    minimum: int | None = None
    within: Level | None = None

    def __post_init__(self) -> None:
        refuse_negative({"minimum": self.minimum})

    def least(self, desired: int) -> int:
        """How many of the desired members must be placed for any to be; never fewer than one.

        A minimum above what is desired cannot be met: it stays as it is, so that nothing is placed.
        """
        return max(1, desired if self.minimum is None else self.minimum)
