"""What workers lack whose cards suffice, but are not linked as a workload demands."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bayplan.cluster.workload import Locality
from bayplan.framework.reasons import Reasons
from bayplan.placement.asks.ask import Taking
from bayplan.placement.asks.booked_memory import booked_mib
from bayplan.placement.cards.layers.layer_cards import layers_of
from bayplan.placement.cards.linked.linked_layers import most_layers
from bayplan.placement.cards.linked.linked_sets import near_of
from bayplan.placement.cards.linked.near_sets import APART, SLOW, near_sets
from bayplan.placement.cards.masks import masks_of
from bayplan.placement.cards.room import holds, room_of
from bayplan.placement.cards.shortage import least_demand

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.cards.linked.near_sets import NearSets
    from bayplan.placement.cards.rows import CardRows, Numbers

READS = (
    "card_rank", "card_leader", "card_share_free_mib", "card_shareable", "card_wholly_free", "card_free_milli",
    "card_memory_mib", "links_id", "cards_id", "pools",
)  # fmt: skip

_JOINED = "needs {needed} cards joined by NVLink; of its {usable} free ones at most {free} are"
_UNLINKED = "needs {needed} cards joined by NVLink; how its cards are linked is not known"
_TOGETHER = "needs {needed} cards on one socket; of its {usable} free ones at most {free} are"
_UNSEATED = "needs {needed} cards on one socket; the sockets of its cards are not known"
_SLOW = "needs {needed:g} GB/s between every two of {cards} cards; the best of its {usable} free ones have {free:g}"
_UNMEASURED = "needs {needed:g} GB/s between every two of {cards} cards; how its cards are linked is not known"
_BY_LAYERS = "needs room for {needed} layers on cards {how}; such cards hold at most {free}"
_LOCALITY_TEXTS: dict[tuple[str, Locality | None], str] = {
    ("", Locality.NVLINK): _JOINED,
    ("links", Locality.NVLINK): _UNLINKED,
    ("", Locality.SAME_SOCKET): _TOGETHER,
    ("sockets", Locality.SAME_SOCKET): _UNSEATED,
}
_PLACES = {None: "", Locality.NVLINK: "that NVLink joins", Locality.SAME_SOCKET: "of one socket"}


class _Case(NamedTuple):
    """The cards of one kind on a refused worker: with room now, and with room if no booking held them."""

    near: NearSets
    free: int
    there: int

    @property
    def lacks(self) -> int:
        return self.near.lacks(self.free)


def not_near(ask: Ask, rows: CardRows) -> Reasons:
    """Of rows with cards enough, but none where the locality wants them."""
    if ask.taking is Taking.LAYERS:
        return _layers(ask, rows, "locality")
    cases = _all(ask, rows, APART)
    return Reasons(
        "locality",
        curable=[not case.near.lacks(case.there) & APART for case in cases],
        unit="cards",
        text=[_LOCALITY_TEXTS[_fact(case), ask.locality] for case in cases],
        not_known=[_fact(case) for case in cases],
        needed=[case.near.count for case in cases],
        free=[case.near.most_near(case.free) for case in cases],
        usable=[case.free.bit_count() for case in cases],
    )


def not_fast(ask: Ask, rows: CardRows) -> Reasons:
    """Of rows with cards enough, but no set of them that is fast enough; `free` is what the best set reaches."""
    if ask.taking is Taking.LAYERS:
        return _layers(ask, rows, "bandwidth-short")
    cases = _all(ask, rows, SLOW)
    best = [_best_gb_per_s(case) for case in cases]
    return Reasons(
        "bandwidth-short",
        curable=[not case.near.lacks(case.there) & SLOW for case in cases],
        unit="GB/s",
        text=[_UNMEASURED if each is None else _SLOW for each in best],
        not_known=["links" if each is None else "" for each in best],
        needed=ask.min_bandwidth_gb_per_s,
        free=best,
        cards=[case.near.count for case in cases],
        usable=[case.free.bit_count() for case in cases],
    )


def _best_gb_per_s(case: _Case) -> float | None:
    """Of the sets that the locality allows; of any, where it allows none."""
    near = case.near
    found = near.best_gb_per_s(case.free)
    if found is not None or near.locality is None:
        return found
    return near_sets(near.links, near.numa, None, near.gb_per_s, near.count).best_gb_per_s(case.free)


def _layers(ask: Ask, rows: CardRows, code: str) -> Reasons:
    """Of rows whose cards hold all layers, but whose linked cards do not."""
    layers, room = layers_of(ask), room_of(ask, rows)
    now, ever = [], []
    for row, amounts in enumerate(room.tolist()):
        near = partial(near_of, ask, rows.pools, int(rows.links_id[row]), int(rows.cards_id[row]))
        large = np.where(rows.card_rank[row] >= 0, rows.card_memory_mib[row], 0)
        now.append(most_layers(layers, amounts, near))
        ever.append(most_layers(layers, large.tolist(), near) >= layers.count)
    return Reasons(
        code, curable=ever, unit="layers", text=_BY_LAYERS, needed=layers.count, free=now, how=_demand(ask)
    )  # fmt: skip


def _demand(ask: Ask) -> str:
    """What a set of cards must be, in words."""
    speed = f"with {ask.min_bandwidth_gb_per_s:g} GB/s between every two" if ask.min_bandwidth_gb_per_s else ""
    return " ".join(part for part in (_PLACES[ask.locality], speed) if part)


def _fact(case: _Case) -> str:
    """What is not known of the cards, and decides."""
    if case.near.locality is Locality.SAME_SOCKET:
        return "" if any(zone >= 0 for zone in case.near.numa) else "sockets"
    return "links" if case.near.links is None else ""


def _all(ask: Ask, rows: CardRows, bit: int) -> list[_Case]:
    room = room_of(ask, rows)
    return [_nearest(ask, rows, row, room[row], bit) for row in range(len(room))]


def _nearest(ask: Ask, rows: CardRows, row: int, room: Numbers, bit: int) -> _Case:
    """The kind of card and the shape that come nearest: one that lacks nothing else, with the most free cards."""
    usable = rows.card_rank[row] >= 0
    links_id, cards_id = int(rows.links_id[row]), int(rows.cards_id[row])

    def near(count: int) -> NearSets:
        return near_of(ask, rows.pools, links_id, cards_id, count)

    cases = [_Case(near(least_demand(ask).cards), 0, 0)]
    for leader in np.unique(rows.card_leader[row][usable]).tolist():
        kind = usable & (rows.card_leader[row] == leader)
        cases += _cases(ask, kind, room, rows.card_memory_mib[row], near)
    return max(cases, key=lambda case: (case.lacks == bit, case.lacks & bit, -case.near.count, case.free.bit_count()))


def _cases(ask: Ask, kind: Numbers, room: Numbers, memory_mib: Numbers, near: Callable[[int], NearSets]) -> list[_Case]:
    """What the cards of one kind would give, were they linked otherwise: a case for each shape that has the cards."""
    cases = []
    for shape in ask.shapes:
        wanted = booked_mib(ask, shape, memory_mib) + shape.headroom_mib
        large = memory_mib >= wanted if ask.rule.needs_memory else kind
        held = holds(ask, shape, room, memory_mib)
        free, there = masks_of(np.stack([kind & held, kind & large])).tolist()
        if free.bit_count() >= shape.cards:
            cases.append(_Case(near(shape.cards), free, there))
    return cases
