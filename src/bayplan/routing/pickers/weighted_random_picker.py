"""Pick any endpoint, the better ones more often."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.framework.pickers.weighted_random import WeightedRandom
from bayplan.framework.plugins import Want

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.evaluation.totals import Totals

_PICKER = WeightedRandom()


@dataclass(frozen=True, slots=True)
class WeightedRandomPicker:
    """Picks endpoints with chances in proportion to their totals, none of them twice.

    One whose total is 0 is picked only when no other is left.

    Parameters:
        max_num_of_endpoints: how many endpoints are picked where there are enough, the later ones as fallbacks; 0 or
            less means 1.
    """

    max_num_of_endpoints: int = 1

    name = "weighted-random-picker"
    aliases = ("weighted-random",)

    @property
    def want(self) -> Want:
        """What a run of a profile with this picker asks for."""
        return Want(max(1, self.max_num_of_endpoints))

    def pick(self, totals: Totals, want: Want, cycle: Cycle) -> Sequence[int]:
        return _PICKER.pick(totals, want, cycle)
