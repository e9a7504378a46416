"""A few rows as the producers see them, outside any profile: what the resolve step and the domains work from."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

import numpy as np

from bayplan.placement.cards.numa.zone_fit import aligned_slices
from bayplan.placement.cards.numa.zones import any_strict
from bayplan.placement.producers.aligned_cards import AlignedCards, AlignedSlices
from bayplan.placement.producers.card_fit import CardFit
from bayplan.placement.producers.chosen_cards import ChosenCards, EvenCards, RoomyCards
from bayplan.placement.producers.usable_cards import UsableCards

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bayplan.framework.plugins import Column, IndexArray
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.asks.subject import Subject

CardOrder: TypeAlias = Literal["tight", "even", "roomy"]

_USABLE, _FIT, _ALIGNED, _TIGHT, _EVEN = UsableCards(), CardFit(), AlignedCards(), ChosenCards(), EvenCards()
_CHOOSERS: dict[str, ChosenCards | EvenCards | RoomyCards] = {"tight": _TIGHT, "even": _EVEN, "roomy": RoomyCards()}
_MADE = {*_USABLE.produces, *_FIT.produces}
_READ = tuple(sorted({*_USABLE.reads, *_FIT.reads, *_TIGHT.reads, *_EVEN.reads} - _MADE - {"pools"}))
EXTRA = ("card_runtime_id", "card_model_id", "ram_free_mib")
_SLICED = tuple(sorted({*_USABLE.reads, *AlignedSlices.reads} - _MADE - {"pools"}))
_ZONED = tuple(sorted({*_ALIGNED.reads} - _MADE - {*_READ, *EXTRA, "pools"}))


class Gathering(Protocol):
    """A table, a fork of one, or rows that are only supposed."""

    @property
    def shared(self) -> Mapping[str, Any]: ...

    def gather(self, names: Iterable[str], index: IndexArray) -> dict[str, Column]: ...


def producer_of(order: CardOrder) -> ChosenCards | EvenCards | RoomyCards:
    """Who chooses the cards under an order."""
    return _CHOOSERS[order]


def look(ask: Ask, table: Gathering, index: IndexArray) -> Any:
    """These rows with their usable cards, the room on them, and what fits."""
    pools: Any = table.shared["pools"]
    fit, more = (_ALIGNED, _ZONED) if any_strict(pools) else (_FIT, ())
    rows: Any = SimpleNamespace(size=len(index), pools=pools, **table.gather((*_READ, *EXTRA, *more), index))
    vars(rows).update(_USABLE.produce(ask, rows, _NO_CYCLE))
    vars(rows).update(fit.produce(ask, rows, _NO_CYCLE))
    return rows


def slice_places(ask: Ask, table: Gathering, row: int) -> list[int]:
    """The positions of the cards from which a worker that insists on single NUMA zones may give MIG instances."""
    rows: Any = SimpleNamespace(size=1, pools=table.shared["pools"], **table.gather(_SLICED, np.array([row], np.intp)))
    vars(rows).update(_USABLE.produce(ask, rows, _NO_CYCLE))
    return np.flatnonzero(aligned_slices(ask, rows)[0]).tolist()


def choose(ask: Ask, rows: Any, order: CardOrder, subject: Subject) -> Any:
    """The same rows with the cards they would give."""
    cycle: Any = SimpleNamespace(subject=subject)
    vars(rows).update(producer_of(order).produce(ask, rows, cycle))
    return rows


_NO_CYCLE: Any = None
