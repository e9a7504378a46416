"""The score of a domain: the mean over the workers that it would use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import FloatArray
    from bayplan.framework.rows import Rows


class DomainScore:
    """Hands on what the domain's workers scored; `most` is the sum of the weights that their score can reach."""

    name = "domain-score"
    reads = ("domain_score",)

    def __init__(self, most: float) -> None:
        self._most = most

    def score(self, ask: Any, rows: Rows, cycle: Cycle) -> FloatArray:
        score: FloatArray = np.clip(rows.domain_score / self._most, 0.0, 1.0)
        return score
