"""Keep the workers that the workload is willing to pay for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.events import PRICE_CHANGED, WORKER_ADDED, WORKER_CHANGED
from bayplan.framework.reasons import Reasons
from bayplan.placement.cards.distinct import everybody, told

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask


class CostLimit:
    """Refuses a worker dearer than `cost.maxUsdPerHour`, and a spot worker where `cost.spot` is false.

    The limit itself is allowed; a worker whose price is not known is refused. `needed` is the price, `free` the limit.
    A spot worker that is too dear as well says `spot`, and the sentence names both. Not curable: evicting others
    changes no price.
    """

    name = "cost-limit"
    reads = ("usd_per_hour", "spot")
    required = True
    cured_by = (PRICE_CHANGED, WORKER_ADDED, WORKER_CHANGED)

    def unread(self, ask: Ask) -> tuple[str, ...]:
        prices = () if ask.max_usd_per_hour is not None else ("usd_per_hour",)
        return prices if ask.spot is False else (*prices, "spot")

    def mask(self, ask: Ask, rows: Rows, cycle: Cycle) -> BoolArray:
        affordable, welcome = _affordable(ask, rows), _welcome(ask, rows)
        return affordable & welcome

    def explain(self, ask: Ask, refused: Rows, cycle: Cycle) -> Reasons:
        price, dear, spot = refused.usd_per_hour, ~_affordable(ask, refused), ~_welcome(ask, refused)
        cases = spot * len(_PRICES) + dear * (1 + (price < 0))
        return Reasons(
            np.where(spot, "spot", "cost").tolist(),
            needed=np.where(dear & (price >= 0), price, None),
            free=told(dear, lambda each: ask.max_usd_per_hour if each else None),
            unit="USD/h",
            not_known=told(~spot & dear & (price < 0), lambda unknown: "price" if unknown else ""),
            text=told(cases, lambda case: _template(*divmod(case, len(_PRICES)))),
        )


_PRICES = (
    "",
    "costs {needed:g} USD/h, {short:g} above the limit of {free:g}",
    "its price is not known, and the limit is {free:g} USD/h",
)
_SPOT = "is a spot worker, and cost.spot is false"


def _affordable(ask: Ask, rows: Rows) -> BoolArray:
    if ask.max_usd_per_hour is None:
        return everybody(rows.size)
    price = rows.usd_per_hour
    mask: BoolArray = (price >= 0) & (price <= ask.max_usd_per_hour)
    return mask


def _welcome(ask: Ask, rows: Rows) -> BoolArray:
    return ~rows.spot if ask.spot is False else everybody(rows.size)


def _template(spot: int, price: int) -> str:
    return "; ".join(part for part in (_SPOT if spot else "", _PRICES[price]) if part)
