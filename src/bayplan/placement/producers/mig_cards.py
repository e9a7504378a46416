"""Which workers can give the MIG instances that are asked for, and from which of their cards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.framework.twins import Twin
from bayplan.placement.cards.mig.instance_cards import READS, given, given_columns, one_slice
from bayplan.placement.cards.mig.instances import LOOSE_COST, slice_tables
from bayplan.placement.cards.mig.tables import worth_less

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import Column
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask

_QUICK = {"fit_order", "fullness"}


class MigCards:
    """Replaces `card-fit` and `chosen-cards` where MIG instances are asked for; makes the columns of both.

    Instances that exist are taken first, then instances whose card is not known, then new ones on a card that is cut
    already, last a card that must be switched to MIG. Among cards the one where the least room for larger instances
    is lost, then the one with the least room left. `fullness` is the largest part of a card's free slices that is
    taken, less a few millionths where cards are reconfigured.
    """

    name = "mig-cards"
    reads = (*READS, "card_rank")

    def __init__(self, produces: Iterable[str]) -> None:
        self.produces = tuple(produces)
        self._quick = _QUICK.issuperset(self.produces)

    def produce(self, ask: Ask, rows: Rows, cycle: Cycle) -> Mapping[str, Column]:
        if self._quick and ask.shapes[0].cards == 1:
            fits, fullness = one_slice(ask, rows)
            return {"fit_order": fits - np.int64(1), "fullness": fullness}
        return given_columns(self.produces, given(ask, rows))

    def twin(self, ask: Ask, shared: Mapping[str, Any]) -> Twin | None:
        if self.produces != ("fit_order", "fullness") or ask.shapes[0].cards != 1:
            return None
        pools = shared["pools"]
        tables = slice_tables(ask, pools)
        never, reads = len(tables.costs) - 1, ("slice_key", "card_mig_taken", "card_cuttable")
        number = pools.profiles.find(ask.mig or "")
        if number is None:
            return Twin(_one_instance, (never, tables.code, tables.full), reads)
        constants = (never, number, tables.code, tables.full, tables.costs)
        return Twin(_one_instance_or_loose, constants, (*reads, "loose_rank", "loose_free"))


def _one_instance(never: int, code: Any, full: Any, keys: Any, taken: Any, cuttable: Any) -> Any:
    least = _least_code(never, code, keys, taken, cuttable)
    return (least < never) - 1, full[least]


def _one_instance_or_loose(
    never: int, number: int, code: Any, full: Any, costs: Any, keys: Any, taken: Any, cuttable: Any,
    loose_rank: int, loose_free: Any,
) -> Any:  # fmt: skip
    """As `_one_instance`, unless an instance of no known card costs less."""
    least = _least_code(never, code, keys, taken, cuttable)
    free = loose_free[number] if number < len(loose_free) and loose_rank >= 0 else 0
    if free > 0 and costs[least] >= LOOSE_COST:
        return 0, 1 / free - _LOOSE_WORTH
    return (least < never) - 1, full[least]


def _least_code(never: int, code: Any, keys: Any, taken: Any, cuttable: Any) -> int:
    least = never
    for key, mask, may in zip(keys, taken, cuttable):  # noqa: B905 (compilers know no `strict`)
        if may and code[key + mask] < least:
            least = code[key + mask]
    return least


_LOOSE_WORTH = worth_less(LOOSE_COST)
