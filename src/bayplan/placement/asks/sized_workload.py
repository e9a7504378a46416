"""A workload with the sizes of its models: what is planned for."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bayplan.cluster.workload import Shape, Workload
    from bayplan.sizing.engine import Engine
    from bayplan.sizing.need import Need


@dataclass(frozen=True, slots=True)
class SizedRole:
    """Equal replicas: all of a workload, or those of one of its roles (`name`).

    `need` is what the model needs (None: the shape has no model), `engine` how its engine was told to run.
    """

    shape: Shape
    need: Need | None
    engine: Engine
    name: str | None = None
    replicas: int = 1


@dataclass(frozen=True, slots=True)
class SizedWorkload:
    """A workload and its roles, sized.

    Where only some of its replicas are asked for, `part_of` is the whole workload: percentages are counted of that.
    """

    workload: Workload
    roles: tuple[SizedRole, ...]
    warnings: tuple[str, ...] = ()
    part_of: SizedWorkload | None = None

    @property
    def whole(self) -> SizedWorkload:
        return self.part_of or self

    @property
    def max_spot_percent(self) -> float | None:
        """The smallest percentage that a role names: it limits the whole workload, whatever replicas are booked."""
        limits = [role.shape.cost.max_spot_percent for role in self.whole.roles]
        return min((limit for limit in limits if limit is not None), default=None)

    @property
    def most_on_spot(self) -> int | None:
        """How many replicas may be on spot workers, rounded down; None where there is no limit."""
        percent = self.max_spot_percent
        return None if percent is None else floor(Fraction(str(percent)) * self.whole.workload.desired / 100)
