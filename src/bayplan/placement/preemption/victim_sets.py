"""Sets of victims, and the order in which they are tried."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bayplan.placement.preemption.units import Units


@dataclass(frozen=True, slots=True)
class VictimSet:
    """Units that suffice; `proven` where no set of less harm does."""

    units: Units
    proven: bool = True


def subsets(sizes: Sequence[tuple[int, int]], total: int) -> Iterator[tuple[int, ...]]:
    """The subsets of numbered sizes that add up to the total."""
    if total == 0:
        yield ()
    if total <= 0 or sum(size for _, size in sizes) < total:  # the sizes that are left do not reach the total
        return
    for place, (number, size) in enumerate(sizes):
        if size <= total:
            for rest in subsets(sizes[place + 1 :], total - size):
                yield (number, *rest)
