"""The NUMA zones of a worker: what each offers, and how far they are from each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.cluster.frozen_map import FrozenMap
from bayplan.cluster.places import repeated
from bayplan.cluster.quantities import refuse_negative
from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

UNKNOWN_DISTANCE = 255  # what ACPI's table of distances gives for zones that cannot reach each other
SINGLE_NUMA_NODE = "single-numa-node"
NO_DISTANCES: FrozenMap[int, int] = FrozenMap()


@dataclass(frozen=True, slots=True)
class NumaZone:
    """One zone; CPU and RAM are what it has for bookings, held ones included, None where that is not known."""

    id: int
    cpu_milli: int | None = None
    ram_mib: int | None = None
    distances: FrozenMap[int, int] = NO_DISTANCES

    def __post_init__(self) -> None:
        refuse_negative({"id": self.id, "cpu": self.cpu_milli, "ram": self.ram_mib})

    def distance(self, other: int) -> int:
        """How far the zone with that id is."""
        return self.distances.get(other, UNKNOWN_DISTANCE)


@dataclass(frozen=True, slots=True)
class Numa:
    """The zones, and how the worker's own topology manager treats them."""

    policy: str = "none"
    scope: str = "container"
    zones: tuple[NumaZone, ...] = ()

    def __post_init__(self) -> None:
        if again := repeated(zone.id for zone in self.zones):
            number, zone_id = again
            raise InputError(
                f"zone {zone_id} is listed twice",
                place=f"zones[{number}].id",
                next="give each zone its own id",
            )

    @property
    def strict(self) -> bool:
        """Whether the worker itself would refuse what does not fit into one zone."""
        return self.policy == SINGLE_NUMA_NODE and bool(self.zones)


def shared_zone(zones: Iterable[int | None]) -> int | None:
    """The one zone in which cards of these zones lie; None where they lie in several, or where that is not known."""
    distinct = set(zones)
    zone = distinct.pop() if len(distinct) == 1 else None
    return None if zone is None or zone < 0 else zone
