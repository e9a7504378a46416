"""The benchmark profile's row stage, compiled: same order of addition, no fast maths, so the same bits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numba
import numpy as np

from bench.factors import WEIGHTS
from bench.fleet import subsets

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bench.fleet import Ask

AVAILABILITY, TOPOLOGY = WEIGHTS["availability"], WEIGHTS["topology"]


@numba.njit
def _redo(index, cpu, ram, free, mask, gpus, topology, quality, base, level, need_cpu, need_ram, need_gpus):
    for place in range(len(index)):
        row = index[place]
        if cpu[row] >= need_cpu and ram[row] >= need_ram and free[row] >= need_gpus:
            level[row] = (
                base[row] + AVAILABILITY * (free[row] / gpus[row]) + TOPOLOGY * quality[topology[row] + mask[row]]
            )
        else:
            level[row] = -np.inf


class CompiledRows:
    """Stands in for cpu, ram, free-gpus, availability and topology."""

    def __init__(self) -> None:
        self._quality = list(subsets()[0])

    def sync(
        self,
        ask: Ask,
        columns: Mapping[str, Any],
        bases: Sequence[Any],
        levels: Sequence[Any],
        index: Any,
    ) -> None:
        _redo(
            np.arange(len(bases[0])) if index is None else index,
            columns["cpu_free_milli"], columns["ram_free_mib"], columns["free_gpus"], columns["free_mask"],
            columns["gpus"], columns["topology"], self._quality[ask.gpus], bases[0], levels[0],
            ask.cpu_milli, ask.ram_mib, ask.gpus,
        )  # fmt: skip
