"""What workers lack on whose cards no shape fits: the numbers of the kind of card that comes closest."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.readable import MemoryPair, format_mib
from bayplan.framework.reasons import Reasons
from bayplan.placement.asks.ask import CardShape, Taking
from bayplan.placement.asks.booked_memory import booked_mib, budget_mib
from bayplan.placement.cards.card_facts import preference
from bayplan.placement.cards.rows import some_rows

if TYPE_CHECKING:
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.cards.rows import CardRows, Numbers

READS = (
    "card_rank", "card_leader", "card_kinds", "card_free_mib", "card_memory_mib", "card_wholly_free", "card_shareable",
    "card_free_milli", "card_healthy", "card_model_id", "card_count", "card_size_mib", "card_bookings",
    "card_foreign_mib", "pools",
)  # fmt: skip

MEMORY, LAYERS, BUDGET, COMPUTE, UNKNOWN, COUNT, MODEL, SIZE = range(8)
_CODES = np.array(
    [
        "gpu-memory-short", "gpu-memory-short", "gpu-memory-short", "gpu-compute-short", "unknown-capacity",
        "gpu-count-short", "gpu-model-mismatch", "gpu-memory-short",
    ],
    object,
)  # fmt: skip
_UNITS = np.array(["MiB", "MiB", "MiB", "percent", "MiB", "cards", "", "MiB"], object)
_TEXTS = np.array(
    [
        "needs {memory.needed} {where}{headroom}, {memory.free} are free",
        "needs room for {layers} of {layer} on its cards, which hold {holds}",
        "needs {memory.needed} {where}; the engine's memory fraction allows {memory.free}",
        "needs {needed:g} % of the compute {where}, {free:g} % are free",
        "needs {memory.needed} {where}; the memory of {unknown} is not known",
        "needs {needed} usable {noun}{alike}, has {free} of {there}{foreign}",
        "has no card of model {models}",
        "needs {cards} of at least {memory.needed}; the largest free ones have {memory.free}",
    ],
    object,
)


def shortage(ask: Ask, rows: CardRows) -> list[Reasons]:
    """Why these rows were refused, each compared with the shape that comes nearest to it.

    Too few cards are cured by evicting others only where the cards are there but held, too little memory only where
    the cards are large enough.
    """
    if len(ask.shapes) < 2:
        return [_Shortage(ask, rows).reasons()]
    nearest = _nearest_shapes(ask, rows)
    told = []
    for number in np.unique(nearest).tolist():
        places = np.flatnonzero(nearest == number)
        some = _Shortage(replace(ask, shapes=(ask.shapes[number],)), some_rows(rows, READS, places)).reasons()
        some.places = places
        told.append(some)
    return told


def _nearest_shapes(ask: Ask, rows: CardRows) -> Numbers:
    """Of each row the shape that lacks least memory on the last of its cards; with too few cards, the smallest."""
    usable = rows.card_rank >= 0
    count = usable.sum(1)
    # descending; NumPy sorts only upwards
    free = -np.sort(-np.where(usable, np.maximum(rows.card_free_mib, 0), 0), axis=1)
    best = np.full(len(count), int(ask.card_counts.argmin()))
    least = np.full(len(count), np.iinfo(np.int64).max)
    for number in np.flatnonzero(ask.card_counts <= free.shape[1]).tolist():
        cards = int(ask.card_counts[number])
        lacking = ask.rooms_mib[number] - free[:, cards - 1]
        better = (count >= cards) & (lacking < least)
        best[better], least[better] = number, lacking[better]
    return best


class _Shortage:
    """All refused rows at once."""

    def __init__(self, ask: Ask, rows: CardRows) -> None:
        self.ask, self.rows, self.size = ask, rows, len(rows.card_count)
        self.shape = least_demand(ask)
        self.cards, self.need_mib = self.shape.cards, self.shape.need_mib
        self.free = np.maximum(rows.card_free_mib, 0)
        self.memory, self.sizes = rows.card_memory_mib, rows.card_size_mib
        wanted = booked_mib(ask, self.shape, self.memory) + self.shape.headroom_mib
        self.wanted = np.broadcast_to(wanted, self.free.shape)
        self.named = self._named()
        there = rows.card_rank >= 0
        usable = there & rows.card_wholly_free if ask.taking is Taking.WHOLE else there
        if ask.taking is Taking.SHARE and not self.shape.room_mib:  # of 0 MiB nothing is short: cards are
            usable = usable & rows.card_shareable
        kind = self._nearest_kind(usable, there)
        self.there, self.usable = there & kind, usable & kind
        layers = ask.layers
        self.layers = 0 if layers is None else 1 if layers.partial else layers.count
        self.holds = self._layer_room(self.usable & rows.card_shareable, self.free)

    def reasons(self) -> Reasons:
        unsized = self._unsized().sum(1)
        which = self._which(unsized)
        lines = np.arange(self.size)
        needed, free = self._needed()[which, lines].tolist(), self._free()[which, lines].tolist()
        return Reasons(
            _CODES[which].tolist(),
            curable=self._curable()[which, lines].tolist(),
            unit=_UNITS[which].tolist(),
            text=_TEXTS[which].tolist(),
            not_known=np.where(which == UNKNOWN, "card-memory", "").tolist(),
            needed=needed,
            free=free,
            memory=list(map(MemoryPair, needed, free)),
            there=self.rows.card_count,
            foreign=self._foreign(),
            unknown=[_counted(number, "card") for number in unsized.tolist()],
            noun="card" if self.cards == 1 else "cards",
            alike=self._alike(),
            layer="" if self.ask.layers is None else format_mib(math.ceil(self.ask.layers.layer_mib)),
            layers=_counted(self.layers, "layer"),
            holds=self.holds,
            headroom=f" ({format_mib(self.shape.headroom_mib)} of it headroom)" if self.shape.headroom_mib else "",
            cards="a card" if self.cards == 1 else f"{self.cards} cards",
            where="on one card" if self.cards == 1 else f"on each of {self.cards} cards",
            models=" or ".join(self.ask.rule.models),
        )

    def _which(self, unsized: Numbers) -> Numbers:
        ask = self.ask
        sized = (self.usable & (self.memory >= 0)).sum(1) if ask.rule.needs_memory else self.usable.sum(1)
        size = self._size()
        cases = [
            (self.rows.card_count > 0) & ~self.named.any(1),
            (sized + unsized < self.cards) & (size >= 0) & (size < ask.rule.card_memory_mib),
            sized + unsized < self.cards,
            sized < self.cards,
            (self.usable & (self._budget() >= self.need_mib)).sum(1) < self.cards,
            (self._roomy().sum(1) >= self.cards) & bool(ask.compute_milli),
        ]
        return np.select(  # the first case that applies counts
            cases, [MODEL, SIZE, COUNT, UNKNOWN, BUDGET, COMPUTE], MEMORY if ask.layers is None else LAYERS
        )

    def _needed(self) -> Numbers:
        ask, layers = self.ask, self.ask.layers
        needed = np.empty((len(_CODES), self.size), object)
        needed[MEMORY] = self._nth(self.wanted)
        needed[LAYERS] = None if layers is None else layers.host_mib(self.layers)
        needed[BUDGET] = self.need_mib
        needed[COMPUTE] = _percent(np.full(self.size, ask.compute_milli))
        needed[UNKNOWN] = max(self.need_mib, ask.rule.card_memory_mib)
        needed[COUNT] = self.cards
        needed[SIZE] = ask.rule.card_memory_mib
        return needed

    def _free(self) -> Numbers:
        layers = self.ask.layers
        free = np.empty((len(_CODES), self.size), object)
        free[MEMORY] = self._nth(self.free)
        free[LAYERS] = None if layers is None else [int(held * layers.layer_mib) for held in self.holds.tolist()]
        free[BUDGET] = _largest(np.where(self.usable, self._budget(), 0), self.cards)
        free[COMPUTE] = _percent(_largest(np.where(self._roomy(), self.rows.card_free_milli, 0), self.cards))
        free[COUNT] = self.usable.sum(1)
        free[SIZE] = self._size()
        return free

    def _curable(self) -> Numbers:
        curable = np.zeros((len(_CODES), self.size), np.bool_)
        curable[MEMORY] = (self.there & (self.memory >= self.wanted)).sum(1) >= self.cards
        curable[LAYERS] = self._layer_room(self.there, self.memory) >= self.layers
        curable[COMPUTE] = True
        curable[COUNT] = self.there.sum(1) >= self.cards
        return curable

    def _named(self) -> Numbers:
        """Cards of a model that is asked for, whatever else speaks against them."""
        numbers, models = self.rows.card_model_id, self.ask.rule.models
        exists: Numbers = np.arange(numbers.shape[1]) < self.rows.card_count[:, None]
        if not models:
            return exists
        accepted = [number for number, product in enumerate(self.rows.pools.models) if preference(models, product) >= 0]
        return exists & np.isin(numbers, accepted)

    def _unsized(self) -> Numbers:
        """Cards that might be large enough: their size is not known."""
        rule = self.ask.rule
        unsized: Numbers = self.memory < 0
        unsized &= self.named & self.rows.card_healthy if rule.card_memory_mib else self.usable
        return unsized if rule.card_memory_mib or rule.needs_memory else np.zeros_like(unsized)

    def _size(self) -> Numbers:
        """How large the last of the cards would be if no size were asked for; -1 where there are too few of a model."""
        size = np.full(self.size, -1)
        if not self.ask.rule.card_memory_mib:
            return size
        able = self.named & self.rows.card_healthy & (self.sizes >= 0)
        able &= self.rows.card_wholly_free if self.ask.taking is Taking.WHOLE else self.rows.card_shareable
        for model in np.unique(self.rows.card_model_id[able]).tolist():
            alike = able & (self.rows.card_model_id == model)
            enough = alike.sum(1) >= self.cards
            size = np.where(enough, np.maximum(size, _largest(np.where(alike, self.sizes, -1), self.cards)), size)
        return size

    def _nearest_kind(self, usable: Numbers, there: Numbers) -> Numbers:
        """The cards of one kind in each row: that with most of the cards, and of those with enough the roomiest."""
        everything = np.ones(usable.shape, np.bool_)
        if not self.rows.card_kinds.size or self.rows.card_kinds.max() <= 1:
            return everything
        nearest, best = everything, np.full(self.size, -np.inf)
        for leader in np.unique(self.rows.card_leader[there]).tolist():
            kind = self.rows.card_leader == leader
            count = (usable & kind).sum(1)
            roomiest = _largest(np.where(usable & kind, self.free, 0), self.cards)
            # kinds with too few cards rank below all amounts of MiB
            worth = np.where(count >= self.cards, roomiest, count - 1e15)
            better = worth > best
            nearest = np.where(better[:, None], kind, nearest)
            best = np.where(better, worth, best)
        return nearest

    def _roomy(self) -> Numbers:
        """Usable cards with memory enough, whatever their compute."""
        roomy: Numbers = self.usable & self.rows.card_shareable & (self._budget() >= self.need_mib)
        return roomy & (self.rows.card_free_mib >= self.wanted) if self.ask.rule.needs_memory else roomy

    def _budget(self) -> Numbers:
        """The most that a replica may need of each card, however free it is."""
        return self.wanted if self.ask.fit is None else budget_mib(self.ask.fit, self.shape, self.memory)

    def _nth(self, amounts: Numbers) -> Numbers:
        """The amount on the last of the `cards` cards that would be taken, in order of how much memory each lacks."""
        known = self.usable & (self.memory >= 0) & (self._budget() >= self.need_mib)
        lacking = np.where(known, self.wanted - self.free, np.iinfo(np.int64).max)  # cards that do not count come last
        order = np.argsort(lacking, axis=1, kind="stable")
        if not order.shape[1]:
            return np.zeros(self.size, np.int64)
        last = order[:, min(self.cards, order.shape[1]) - 1]
        nth: Numbers = amounts[np.arange(self.size), last]
        return nth

    def _layer_room(self, cards: Numbers, amounts: Numbers) -> Numbers:
        """How many layers these cards would hold of such amounts."""
        layers = self.ask.layers
        if layers is None:
            return np.zeros(self.size, np.int64)
        room = -np.sort(-layers.rooms_for(np.where(cards, amounts, 0)), axis=1)
        held: Numbers = room[:, : layers.cards].sum(1)  # None as a bound takes all cards
        return held

    def _foreign(self) -> list[str]:
        """What processes that are not in the books use of cards that would be whole without them."""
        rows, told = self.rows, [""] * self.size
        if self.ask.taking is not Taking.WHOLE:
            return told
        busy = self.there & rows.card_shareable & (rows.card_bookings == 0) & ~rows.card_wholly_free
        for row in np.flatnonzero(busy.any(1)).tolist():
            amounts = rows.card_foreign_mib[row][busy[row]].tolist()
            more = f" and of {len(amounts) - 1} more" if len(amounts) > 1 else ""
            told[row] = f"; processes without a booking use {format_mib(max(amounts))} of one card{more}"
        return told

    def _alike(self) -> str:
        """What cards must have in common to be counted."""
        rule = self.ask.rule
        size = f" of at least {format_mib(rule.card_memory_mib)}" if rule.card_memory_mib else ""
        same = "" if self.cards == 1 else " of one runtime" if rule.mixes_models else " of one model"
        return same + size


def least_demand(ask: Ask) -> CardShape:
    """The shape with the fewest cards."""
    if ask.layers is not None:
        return CardShape(ask.layers.cards or 1, ask.layers.card_mib(1))
    return min(ask.shapes, key=lambda shape: shape.cards, default=CardShape(1))


def _largest(amounts: Numbers, number: int) -> Numbers:
    """In each row the n-th largest amount, 0 where there are fewer."""
    if number > amounts.shape[1]:
        return np.zeros(len(amounts), amounts.dtype)
    largest: Numbers = -np.sort(-amounts, axis=1)[:, number - 1]
    return largest


def _counted(number: int, what: str) -> str:
    """A number with its noun."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def _percent(milli: Numbers) -> list[int | float]:
    """Thousandths as people write percent."""
    return [each // 10 if each % 10 == 0 else each / 10 for each in milli.tolist()]  # 25 instead of 25.0
