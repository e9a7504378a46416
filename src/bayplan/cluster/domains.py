"""The domains of each topology level: since workers are ordered by path, every one is a slice of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.cluster.columns import UNKNOWN, domain_column
from bayplan.cluster.topology import LEVELS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from bayplan.cluster.topology import Level, TopologyPath
    from bayplan.framework.plugins import IndexArray

DomainName = tuple[str | None, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Domains:
    """The domains of one level, in order; workers that name none at this level are in none."""

    level: Level
    names: tuple[DomainName, ...]
    starts: IndexArray
    stops: IndexArray

    def __len__(self) -> int:
        return len(self.names)

    def rows(self, number: int) -> slice:
        """The rows of a domain."""
        return slice(int(self.starts[number]), int(self.stops[number]))

    def sums(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The sum of a column over each domain."""
        # Sums from the first row on: the sum of a slice of rows is the difference of two of them.
        running = np.concatenate([np.zeros_like(values[:1], values.sum(axis=0).dtype), np.cumsum(values, axis=0)])
        summed: npt.NDArray[Any] = running[self.stops] - running[self.starts]
        return summed

    def numbers(self, rows: int) -> npt.NDArray[np.int32]:
        """For each of `rows` rows the number of its domain."""
        numbers = np.full(rows, UNKNOWN, np.int32)
        for number in range(len(self)):
            numbers[self.rows(number)] = number
        return numbers


def find_domains(paths: Sequence[TopologyPath], path_ids: npt.NDArray[Any]) -> dict[Level, Domains]:
    """The domains of all levels, from each row's path; rows of one path are neighbours."""
    # UNKNOWN - 1 is no path, so that row 0 begins a run
    starts = np.flatnonzero(np.diff(path_ids, prepend=UNKNOWN - 1))
    runs = [(int(start), paths[int(path_ids[start])]) for start in starts]
    return {level: _level(level, runs, len(path_ids)) for level in LEVELS}


def domain_columns(domains: dict[Level, Domains], rows: int) -> dict[str, Any]:
    """The static columns that say in which domains each row is."""
    return {domain_column(level): found.numbers(rows) for level, found in domains.items()}


def _level(level: Level, runs: Sequence[tuple[int, TopologyPath]], rows: int) -> Domains:
    names: list[DomainName] = []
    starts: list[int] = []
    stops: list[int] = []
    former: DomainName | None = None
    for start, path in runs:
        name = path.domain(level)
        if name == former:
            continue
        if former is not None:
            stops.append(start)
        if name is not None:
            names.append(name)
            starts.append(start)
        former = name
    if former is not None:
        stops.append(rows)
    return Domains(level, tuple(names), np.array(starts, np.intp), np.array(stops, np.intp))
