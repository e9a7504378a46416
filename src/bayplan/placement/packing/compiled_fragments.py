"""The same as `plain_fragments`, compiled."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from bayplan.placement.packing.demand import WHOLE_MILLI


@numba.njit(cache=True)
def fragments(
    weights: Any, cards: Any, cpu_milli: Any, need_milli: Any, kinds: Any, cpu_free_milli: Any, free_milli: Any
) -> Any:  # pragma: no cover (compiled)
    """Row by row; added in the same order, so the same bits."""
    found = np.zeros(len(kinds))
    for row in range(len(kinds)):
        free = free_milli[row].sum()
        for number in range(len(weights)):
            need, count, useful = need_milli[kinds[row], number], 0, 0
            if cards[number] > 0 and need <= WHOLE_MILLI and cpu_free_milli[row] >= cpu_milli[number]:
                for amount in free_milli[row]:
                    if amount >= need:
                        count += 1
                        useful += amount
            found[row] += weights[number] * (free - (useful if count >= cards[number] else 0))
    return found
