"""Equal replicas that may span workers: how many the cards of all workers hold, and which workers to pay for."""

from __future__ import annotations

from collections import Counter
from math import gcd, inf
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bayplan.cluster.worker import uid_hash
from bayplan.placement.asks.ask import Taking
from bayplan.placement.cards.choose import look
from bayplan.placement.constraints.cost_sum import limit_of
from bayplan.placement.decision.fewest_workers import MOST_WORKERS
from bayplan.placement.decision.worker_domains import worker_ask

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from bayplan.framework.plugins import IndexArray
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.asks.sized_workload import SizedRole
    from bayplan.placement.constraints.cost_sum import Spent
    from bayplan.placement.gangs.trial import Trial

MOST_SETS = 4000
"""Sets of workers that are kept at once, to bound time and memory; beyond that the number stays unknown."""

Cards = tuple[int, ...]
"""Cards of each model on workers that are not spot, followed by cards of each model on spot workers."""


class Spanning(NamedTuple):
    """No more than `most` replicas find a place; `workers`, by uid hash, are those to pay for where that is limited."""

    most: int
    workers: npt.NDArray[np.int64] | None = None


def is_first_exact(trial: Trial, role: SizedRole) -> bool:
    """Whether a replica that finds no place has none: sets of workers that cost too much are not all looked at."""
    asks = trial.asked(role, 1).asks
    if limit_of(asks) is None:
        return True
    return all(ask.layers is None for ask in asks) and len(trial.rows_of(role)) <= MOST_WORKERS


class _Worker(NamedTuple):
    """The cards that a worker could give, and its price."""

    row: int
    cards: Cards
    usd_per_hour: float


class _Chosen(NamedTuple):
    usd_per_hour: float = 0.0
    rows: tuple[int, ...] = ()


def most_spanning(trial: Trial, role: SizedRole, missing: int) -> Spanning:
    """How many of the missing replicas the cards of all workers hold, if only cards, budget and spot share count.

    An upper bound: other demands can only lower it. Exact for whole cards if any cards of one model make a replica.
    """
    asks = trial.asked(role, missing).asks
    if not all(map(_is_counted, asks)):
        return Spanning(missing)
    share = trial.constraints.on_spot
    least = min(shape.cards for ask in asks for shape in ask.shapes)
    workers = _workers(trial, asks, trial.rows_of(role), missing, apart=share.applies(asks))
    on_spot = share.view(asks).left if share.applies(asks) else missing
    limit = limit_of(asks)
    if limit is None:
        total = tuple(map(sum, zip(*(each.cards for each in workers), strict=True)))
        return Spanning(_replicas(total, least, missing, on_spot))
    spent = trial.constraints.spending.view(asks)
    sets = _sets([_charged(trial, each, spent) for each in workers], spent.left(limit), missing * least)
    if sets is None:
        return Spanning(missing)
    cards, chosen = max(
        sets.items(), key=lambda each: (_replicas(each[0], least, missing, on_spot), -each[1].usd_per_hour)
    )
    hashes = [uid_hash(trial.snapshot.workers[row].uid) for row in chosen.rows]
    return Spanning(
        _replicas(cards, least, missing, on_spot), np.array([*hashes, *sorted(spent.workers.tolist())], np.int64)
    )


def _is_counted(ask: Ask) -> bool:
    """Whether the number of cards limits it: layers need no fixed number, and overcommit has no limit."""
    return bool(ask.shapes) and ask.layers is None and not ask.overcommit and min(ask.card_counts) > 0


def _workers(trial: Trial, asks: Sequence[Ask], rows: IndexArray, missing: int, *, apart: bool) -> list[_Worker]:
    """What each worker could give at most: of several asks the one that takes most cards into account."""
    numbers, unit = [_by_model(trial, ask, rows, missing) for ask in asks], gcd(*map(_unit, asks))
    kinds = sorted({kind for each in numbers for counts in each for kind in counts})
    found = []
    for place, row in enumerate(rows.tolist()):
        worker = trial.snapshot.workers[row]
        cards = tuple(max(each[place][kind] for each in numbers) // unit * unit for kind in kinds)
        nothing = (0,) * len(kinds)
        sides = (nothing, cards) if apart and worker.spot else (cards, nothing)
        found.append(_Worker(row, (*sides[0], *sides[1]), worker.usd_per_hour or 0.0))
    return found


def _unit(ask: Ask) -> int:
    """What a replica takes of one worker is a multiple of this many cards."""
    return gcd(*((1 if shape.splits else shape.unit) if ask.spans else shape.cards for shape in ask.shapes))


def _by_model(trial: Trial, ask: Ask, rows: IndexArray, missing: int) -> list[Counter[int]]:
    """By row and model, the cards that might hold a replica's part; one that might hold several counts as often."""
    if not len(rows):
        return []
    seen = look(worker_ask(ask), trial.table, rows)
    usable = (seen.card_rank >= 0) & (seen.card_room >= 0)
    need = 0 if ask.taking is Taking.WHOLE else min(shape.need_mib for shape in ask.shapes)
    several = np.minimum(seen.card_room // need, missing) if need else np.full(usable.shape, missing)
    copies = np.where(usable, 1 if ask.taking is Taking.WHOLE else several, 0)
    kinds = seen.card_runtime_id.astype(np.int64) << 32  # runtime above, model below: one number to compare
    if not ask.rule.mixes_models:
        kinds = kinds | (seen.card_model_id + 1)  # + 1 because an unknown model is -1
    found = []
    for models, numbers in zip(kinds.tolist(), copies.tolist(), strict=True):
        counts: Counter[int] = Counter()
        for model, number in zip(models, numbers, strict=True):
            counts[model] += number
        found.append(+counts)  # unary plus drops kinds with a count of 0
    return found


def _charged(trial: Trial, worker: _Worker, spent: Spent) -> _Worker:
    """The worker with what it would cost: a worker that is paid for costs nothing more."""
    return worker._replace(usd_per_hour=spent.price(trial.snapshot.workers[worker.row]))


def _sets(workers: Sequence[_Worker], limit: float, most: int) -> dict[Cards, _Chosen] | None:
    """By the cards that they give the cheapest sets of workers within the limit; None where there are too many."""
    nothing = (0,) * len(workers[0].cards) if workers else ()
    sets = {nothing: _Chosen()}
    for worker in workers:
        for cards, former in list(sets.items()):  # a copy, so that a worker joins each set once
            usd_per_hour = former.usd_per_hour + worker.usd_per_hour
            # Cards beyond what all replicas need make no difference, and without them more sets are equal.
            more = tuple(min(most, had + some) for had, some in zip(cards, worker.cards, strict=True))
            if usd_per_hour <= limit and usd_per_hour < sets.get(more, _Chosen(inf)).usd_per_hour:
                sets[more] = _Chosen(usd_per_hour, (*former.rows, worker.row))
        if len(sets) > MOST_SETS:
            return None
    return sets


def _replicas(cards: Cards, least: int, missing: int, on_spot: int) -> int:
    """How many replicas these cards make: first without spot workers, then with the rest and cards of spot workers."""
    models = len(cards) // 2
    steady, spot = cards[:models], cards[models:]
    alone = sum(number // least for number in steady)
    mixed = sum((number % least + other) // least for number, other in zip(steady, spot, strict=True))
    return min(missing, alone + min(on_spot, mixed))
