"""Keep the workers on whose cards the workload's engine runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cluster.events import WORKER_ADDED, WORKER_CHANGED
from bayplan.framework.reasons import Reasons
from bayplan.placement.asks.ask import Taking
from bayplan.placement.asks.backends import Support, support
from bayplan.placement.cards.distinct import everybody, judged, told

if TYPE_CHECKING:
    from bayplan.cluster.card_set import CardSet
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask


class BackendSupport:
    """Refuses a worker on none of whose cards the workload's engine runs.

    One usable card is enough, and a runtime that is in no table is used: unknown is not unsupported. A worker without
    cards is judged by `gpu-fit`, and a replica that takes no card runs beside any. Not curable: evicting others
    changes no card.
    """

    name = "backend-support"
    reads = ("cards_id", "pools")
    required = True
    cured_by = (WORKER_ADDED, WORKER_CHANGED)

    def mask(self, ask: Ask, rows: Rows, cycle: Cycle) -> BoolArray:
        if ask.taking is Taking.NOTHING:
            return everybody(rows.size)
        sets, backend = rows.pools.cards, ask.rule.backend
        return judged(rows.cards_id, lambda number: _supports(backend, _runtimes(sets[number])))

    def explain(self, ask: Ask, refused: Rows, cycle: Cycle) -> Reasons:
        sets = refused.pools.cards
        runtimes = told(refused.cards_id, lambda number: " and ".join(_runtimes(sets[number])))
        return Reasons(
            "backend-unsupported",
            backend=ask.rule.backend,
            runtimes=runtimes,
            text="{backend} does not run on {runtimes} cards, and the worker has no others",
        )


def _supports(backend: str, runtimes: list[str]) -> bool:
    return not runtimes or any(support(backend, runtime) is not Support.NO for runtime in runtimes)


def _runtimes(cards: CardSet) -> list[str]:
    return sorted({card.runtime for card in cards.cards})
