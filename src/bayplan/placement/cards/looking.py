"""A few rows as the producers see them, outside any profile: what the resolve step and the domains work from."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from bayplan.placement.numa.fit import aligned_slices
from bayplan.placement.numa.zones import any_strict
from bayplan.placement.producers.aligned_cards import AlignedCards, AlignedSlices
from bayplan.placement.producers.card_fit import CardFit
from bayplan.placement.producers.chosen_cards import ChosenCards, EvenCards, RoomyCards
from bayplan.placement.producers.usable_cards import UsableCards

if TYPE_CHECKING:
    from bayplan.framework.fork import Fork
    from bayplan.framework.plugins import IndexArray
    from bayplan.framework.table import Table
    from bayplan.placement.ask import Ask
    from bayplan.placement.subject import Subject

CardOrder: TypeAlias = Literal["tight", "even", "roomy"]

_USABLE, _FIT, _ALIGNED, _TIGHT, _EVEN = UsableCards(), CardFit(), AlignedCards(), ChosenCards(), EvenCards()
_CHOOSERS: dict[str, ChosenCards | EvenCards | RoomyCards] = {"tight": _TIGHT, "even": _EVEN, "roomy": RoomyCards()}
_MADE = {*_USABLE.produces, *_FIT.produces}
_READ = tuple(sorted({*_USABLE.reads, *_FIT.reads, *_TIGHT.reads, *_EVEN.reads} - _MADE - {"pools"}))
EXTRA = ("card_runtime_id", "card_model_id", "ram_free_mib")
_SLICED = tuple(sorted({*_USABLE.reads, *AlignedSlices.reads} - _MADE - {"pools"}))
_ZONED = tuple(sorted({*_ALIGNED.reads} - _MADE - {*_READ, *EXTRA, "pools"}))


def producer_of(order: CardOrder) -> ChosenCards | EvenCards | RoomyCards:
    """Who chooses the cards under an order."""
    return _CHOOSERS[order]


def look(ask: Ask, table: Table | Fork, index: IndexArray) -> Any:
    """These rows with their usable cards, the room on them, and what fits."""
    pools: Any = table.shared["pools"]
    fit, more = (_ALIGNED, _ZONED) if any_strict(pools) else (_FIT, ())
    rows = SimpleNamespace(size=len(index), pools=pools, **table.gather((*_READ, *EXTRA, *more), index))
    vars(rows).update(_USABLE.produce(ask, rows, _NO_CYCLE))  # type: ignore[arg-type]
    vars(rows).update(fit.produce(ask, rows, _NO_CYCLE))  # type: ignore[arg-type]
    return rows


def slice_places(ask: Ask, table: Table | Fork, row: int) -> list[int]:
    """The positions of the cards from which a worker that insists on single NUMA zones may give MIG instances."""
    rows = SimpleNamespace(size=1, pools=table.shared["pools"], **table.gather(_SLICED, np.array([row], np.intp)))
    vars(rows).update(_USABLE.produce(ask, rows, _NO_CYCLE))  # type: ignore[arg-type]
    return np.flatnonzero(aligned_slices(ask, rows)[0]).tolist()


def choose(ask: Ask, rows: Any, order: CardOrder, subject: Subject) -> Any:
    """The same rows with the cards they would give."""
    vars(rows).update(producer_of(order).produce(ask, rows, SimpleNamespace(subject=subject)))  # type: ignore[arg-type]
    return rows


_NO_CYCLE: Any = None
