"""What workers lack that cannot give the MIG instances asked for: how many there are, and what would give more."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bayplan.cluster.catalogue import mig_geometry
from bayplan.framework.reasons import Reasons
from bayplan.placement.cards.mig.instances import ROOM_READS, loose_number, loose_ranks, rooms
from bayplan.placement.cards.mig.tables import card_tables

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.cluster.card_set import CardSet
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.cards.rows import CardRows

READS = (*ROOM_READS, "cards_id", "loose_slices", "card_wholes", "card_shares")
MOST_NAMED = 8
"""Names that a message lists: more would not fit a line; the rest is counted."""

_TEXT = "needs {needed} {instances} of {profile}, can give {free}{hint}"


class _Cards(NamedTuple):
    """Of a worker's cards, by position: whether the ask may use it, which slices are in use, whether it may be cut now,
    and if not, whether bookings are the reason.
    """

    usable: tuple[bool, ...]
    taken: tuple[int, ...]
    cuttable: tuple[bool, ...]
    undivided: tuple[bool, ...]


def shortage(ask: Ask, rows: CardRows) -> Reasons:
    """Why these rows were refused. Bookings that hold slices, or cards that might be cut, are curable."""
    wanted, profile = ask.shapes[0].cards, ask.mig or ""
    free = rooms(ask, rows).tolist()
    loose, offered = _loose_held(ask, rows), _loose_offered(ask, rows)
    numbers, known = rows.cards_id.tolist(), {}
    columns = (rows.card_usable, rows.card_mig_taken, rows.card_cuttable, rows.card_wholes + rows.card_shares > 0)
    curable: list[bool] = []
    hints: list[str] = []
    for number, held, there, *each in zip(
        numbers, loose, offered, *(column.tolist() for column in columns), strict=True
    ):
        key = number, held, there, _Cards(*map(tuple, each))
        if key not in known:
            known[key] = _judged(profile, rows.pools.cards[number], key[-1], held, offered=there)
        freed, hint = known[key]
        curable.append(free[len(curable)] + freed >= wanted)
        hints.append(hint)
    return Reasons(
        "mig-unavailable" if ask.devices is None or ask.devices.names_profile else "gpu-count-short",
        curable=curable,
        unit="instances",
        needed=wanted,
        free=free,
        profile=profile,
        instances="instance" if wanted == 1 else "instances",
        hint=hints,
        text=_TEXT,
    )


def _loose_held(ask: Ask, rows: CardRows) -> list[int]:
    """Instances of no known card that others hold, where the ask could use them."""
    number = loose_number(ask, rows.pools, rows.loose_free.shape[1])
    if number is None:
        return [0] * rows.size
    taken = rows.loose_slices[:, number] - rows.loose_free[:, number]
    held: list[int] = (taken * (loose_ranks(ask, rows) >= 0)).tolist()
    return held


def _loose_offered(ask: Ask, rows: CardRows) -> list[bool]:
    """Whether a worker has instances of no known card that the ask could use, held or not."""
    number = loose_number(ask, rows.pools, rows.loose_free.shape[1])
    if number is None:
        return [False] * rows.size
    offered: list[bool] = ((rows.loose_slices[:, number] > 0) & (loose_ranks(ask, rows) >= 0)).tolist()
    return offered


def _judged(profile: str, cards: CardSet, state: _Cards, loose_held: int, *, offered: bool) -> tuple[int, str]:
    """How many more instances there would be if none were booked, and a sentence about what would give more."""
    more: dict[int, int] = {}
    recut, busy, named = [], [], False
    known: dict[str, None] = {}
    for place, table in enumerate(card_tables(cards, profile)):
        if not state.usable[place]:
            continue
        if state.cuttable[place] or state.undivided[place]:
            more[place] = table.room[0] - (table.room[state.taken[place]] if state.cuttable[place] else 0)
        elif table.room[0]:
            busy.append(place)
        geometry = mig_geometry(cards.models[place], _known(cards.memory_mib[place]))
        known |= dict.fromkeys(geometry.by_name) if geometry is not None else {}
        if geometry is not None and geometry.profile(profile):
            named = True
            if not cards.layouts[place].reconfigurable:
                recut.append(place)
        named |= table.room[0] > 0
    held = [place for place, gained in more.items() if gained > 0]
    freed = sum(more.values()) + loose_held
    where = [_names(cards, held)] * bool(held) + ["its slices of no known card"] * bool(loose_held)
    others = f", but {', '.join(known)}" if known else ""
    hints = {
        f"{freed} more without the bookings on {' and '.join(where)}": freed > 0,
        f"{_names(cards, recut)} may not be reconfigured": bool(recut),
        f"processes without a booking use {_names(cards, busy)}": bool(busy),
        f"no card that it may use has {profile}{others}": not named and not offered,
    }
    return freed, "".join(f"; {hint}" for hint, true in hints.items() if true)


def _names(cards: CardSet, places: Iterable[int]) -> str:
    names = [str(cards.cards[place]) for place in places]
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _known(memory_mib: int) -> int | None:
    return memory_mib if memory_mib >= 0 else None
