"""The options that a decision considered: the chosen one, its nearest rivals, and the best of other tiers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayplan.framework.cycle import Cycle
from bayplan.placement.decision.fit_tiers import run_name
from bayplan.placement.decision.profiles import DOMAINS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from bayplan.cluster.workload import Shape
    from bayplan.framework.fork import Fork
    from bayplan.framework.outcome import Outcome, RunResult
    from bayplan.framework.table import Table
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.asks.subject import Subject
    from bayplan.placement.asks.tier import Tier
    from bayplan.placement.decision.placed import Placed
    from bayplan.placement.decision.strategies import Strategies
    from bayplan.placement.decision.tuning import Tuning

    Price = Callable[[Iterable[str]], float | None]

MOST_RIVALS = 4
"""Other workers of the chosen tier that are shown: with the chosen one and the other tiers, some ten lines."""


@dataclass(frozen=True, slots=True)
class Option:
    """One place where the replica could go."""

    chosen: bool
    tier: Tier
    workers: tuple[str, ...]
    gpus: int
    score: float
    usd_per_hour: float | None


def options(
    strategies: Strategies,
    outcome: Outcome,
    subject: Subject,
    shape: Shape,
    asks: Sequence[Ask],
    table: Table | Fork,
    price: Price,
    tuning: Tuning,
) -> tuple[Option, ...]:
    """What was considered for this replica, on the table as it was before it was placed."""
    chosen = outcome.picked[0]
    found = [_option(chosen.resolution.value, chosen.total, price, chosen=True)] if chosen.resolution else []
    winner: Any = outcome.decision.value
    if outcome.primary is not None and outcome.primary.profile != DOMAINS:
        found += _rivals(strategies, outcome.primary, shape.strategy, subject, price, tuning)
    for ask in asks:
        if ask == winner or ask.overcommit or run_name("", ask) == run_name("", winner):
            continue
        other = strategies.place(
            subject, shape.strategy, (ask,),
            table=table, tuning=tuning, seed=outcome.seed, now=outcome.now, reasons=False,
        )  # fmt: skip
        if other.ok and other.picked[0].resolution is not None:
            found.append(_option(other.picked[0].resolution.value, other.picked[0].total, price))
    return tuple(found)


def _rivals(
    strategies: Strategies,
    run: RunResult,
    strategy: str,
    subject: Subject,
    price: Price,
    tuning: Tuning,
) -> Iterator[Option]:
    name = strategies.strategy(strategy)
    ask: Any = run.ask
    table: Any = run.table
    evaluator: Any = strategies.scheduler(name, tuning).evaluator(run.profile, table)
    totals = evaluator.totals(ask, Cycle(subject, ask))
    devices = strategies.devices(strategy)
    # + 1: the chosen row
    others = [row for row in totals.top(MOST_RIVALS + 1) if row != run.picked[0].row][:MOST_RIVALS]
    for row, (tier, cards) in zip(others, devices.counted(ask, table, others, subject), strict=True):
        workers = (table.keys[row],)
        yield Option(False, tier, workers, cards, totals.total(row)[-1], price(workers))


def _option(placed: Placed, score: float, price: Price, *, chosen: bool = False) -> Option:
    workers = tuple(booking.worker for booking in placed.bookings)
    cards = sum(len(booking.cards) for booking in placed.bookings)
    return Option(chosen, placed.tier, workers, cards, score, price(workers))
