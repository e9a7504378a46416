"""What a profile means, written a second time: loops over rows of scalars, sharing nothing with the framework.

Each test plugin is known here by a formula of its own for one row (or, for those that look at others, for a list of
rows); the arrays that the framework asks are in `worlds`.
"""

from dataclasses import dataclass, field
from itertools import pairwise
from math import inf

import numpy as np


@dataclass(frozen=True)
class Use:
    """One plugin in a profile, as data: which formula, its parameter, and how a scorer is weighed and answers."""

    kind: str
    p: float = 0
    weight: float = 1.0
    level: int = 0
    scale: int = 1
    dtype: str = "float64"
    skips: str = ""  # "tag": where the ask's tag is 0; "clock": before five, for what looks at the cycle or at others


@dataclass(frozen=True)
class Plan:
    """A profile as data."""

    filters: tuple[Use, ...] = ()
    scorers: tuple[Use, ...] = ()


@dataclass
class World:
    """A table as data: plain rows and the values they share."""

    rows: list[dict]
    shared: dict[str, float] = field(default_factory=dict)


FILTERS = {
    "uncordoned": "static", "zone-is-not": "static", "labelled": "static", "fitting": "static",
    "free-enough": "row", "under-cap": "row", "room-enough": "row", "eligible": "row", "some-card": "row",
    "clock-parity": "cycle", "late-enough": "cycle",
    "near-the-best": "table", "unless-nobody": "table", "first-few": "table",
}  # fmt: skip
SCORERS = {
    "cheap": "static", "zone": "static", "constant": "static", "fits": "static",
    "fullness": "row", "rated": "row", "room": "row", "eligible": "row", "cards": "row", "wild": "row",
    "clock": "cycle", "late": "cycle",
    "relative": "table", "place": "table",
}  # fmt: skip
ORDER = ("static", "row", "cycle", "table")


def takes_part(use, ask, now):
    """Whether a plugin of the plan has something to do for this ask, now."""
    if use.skips == "tag":
        return ask.tag != 0
    return use.skips != "clock" or now >= 5


def active(plan, ask, now):
    """The plugins that take part, as a plan of their own."""
    return Plan(
        tuple(use for use in plan.filters if takes_part(use, ask, now)),
        tuple(use for use in plan.scorers if takes_part(use, ask, now)),
    )


def totals(plan, world, ask, now):
    """One list a level over all rows; -inf where a filter refuses."""
    rows = [_produced(row, ask, now) for row in world.rows]
    names = sorted({use.level for use in plan.scorers}) or [0]
    plan = active(plan, ask, now)
    alive = _survivors(plan, world, rows, ask, now)
    levels = [[-inf] * len(rows) for _ in names]
    sums = {(level, row): 0.0 for level in names for row in alive}
    for dependence in ORDER:
        for use in plan.scorers:
            if SCORERS[use.kind] != dependence:
                continue
            for row, value in zip(alive, _scores(use, world, rows, alive, ask, now), strict=True):
                sums[use.level, row] = sums[use.level, row] + use.weight * _clamped(_as_answered(use, value))
    for (level, row), total in sums.items():
        levels[names.index(level)][row] = total
    return levels


def best(levels):
    """The first of the rows that no other beats, level by level; None if all are refused."""
    found = None
    for row in range(len(levels[0])):
        mine = [level[row] for level in levels]
        if levels[0][row] != -inf and (found is None or _beats(mine, [level[found] for level in levels])):
            found = row
    return found


def ranked(levels):
    """All rows that were not refused, best first, lower of equals first."""
    left = [row for row in range(len(levels[0])) if levels[0][row] != -inf]
    order = []
    while left:
        top = left[0]
        for row in left:
            if _beats([level[row] for level in levels], [level[top] for level in levels]):
                top = row
        order.append(top)
        left.remove(top)
    assert all(not _beats([v[b] for v in levels], [v[a] for v in levels]) for a, b in pairwise(order))
    return order


def refused_by(plan, world, ask, now):
    """For each filter, what it says of each row: True, False, or None for a row that it never saw.

    A filter that skips refuses no row.
    """
    rows = [_produced(row, ask, now) for row in world.rows]
    alive, said = list(range(len(rows))), []
    for use in plan.filters:
        if not takes_part(use, ask, now):
            said.append([True] * len(rows))
            continue
        seen = alive if FILTERS[use.kind] == "table" else list(range(len(rows)))
        answers = dict(zip(seen, _passes(use, world, [rows[row] for row in seen], ask, now), strict=True))
        said.append([answers.get(row) for row in range(len(rows))])
        alive = [row for row in alive if answers[row]]
    return said


def _survivors(plan, world, rows, ask, now):
    alive = list(range(len(rows)))
    for use in plan.filters:
        if alive:
            passes = _passes(use, world, [rows[row] for row in alive], ask, now)
            alive = [row for row, passed in zip(alive, passes, strict=True) if passed]
    return alive


def _produced(row, ask, now):
    row = dict(row)
    row["fits"] = 1 if (row["zone"] + ask.tag) % 2 == 0 else 0
    row["room"] = row["free"] - ask.need
    row["eligible"] = row["fits"] * row["free"]
    row["late"] = row["room"] + now
    return row


def _passes(use, world, rows, ask, now):
    match use.kind:
        case "near-the-best":
            top = max((row["free"] for row in rows), default=0)
            return [row["free"] >= top - use.p for row in rows]
        case "unless-nobody":
            wanted = [row["free"] >= use.p for row in rows]
            return wanted if True in wanted else [True] * len(rows)
        case "first-few":
            return [place < use.p for place in range(len(rows))]
    return [_passes_alone(use, world.shared, row, ask, now) for row in rows]


def _passes_alone(use, shared, row, ask, now):
    return {
        "uncordoned": lambda: not row["cordoned"],
        "zone-is-not": lambda: row["zone"] != use.p,
        "labelled": lambda: row["label"] != "abcdefgh"[: int(use.p)],
        "fitting": lambda: row["fits"] == 1,
        "free-enough": lambda: row["free"] >= ask.need,
        "under-cap": lambda: row["used"] <= shared["cap"],
        "room-enough": lambda: row["room"] >= use.p,
        "eligible": lambda: row["eligible"] != use.p,
        "some-card": lambda: any(card > use.p for card in row["cards"]),
        "clock-parity": lambda: (row["free"] + int(now)) % 3 != use.p,
        "late-enough": lambda: row["late"] >= use.p,
    }[use.kind]()


def _scores(use, world, rows, alive, ask, now):
    shown = [rows[row] for row in alive]
    if use.kind == "relative":
        top = max((row["free"] for row in shown), default=0)
        return [row["free"] / top if top > 0 else 0.5 for row in shown]
    if use.kind == "place":
        return [place / len(shown) for place in range(len(shown))]
    return [_score_alone(use, world.shared, row, ask, now) for row in shown]


def _score_alone(use, shared, row, ask, now):
    return {
        "cheap": lambda: 1.0 - row["price"] / 3.0,
        "zone": lambda: row["zone"] * use.p,
        "constant": lambda: use.p,
        "fits": lambda: (row["fits"] + ask.tag) / 3.0,
        "fullness": lambda: row["used"] / (row["used"] + 1.0 + abs(row["free"])),
        "rated": lambda: row["used"] * shared["rate"],
        "room": lambda: row["room"] / 7.0,
        "eligible": lambda: row["eligible"] * 0.1,
        "cards": lambda: (row["cards"][0] + row["cards"][1] + row["cards"][2]) / 9.0,
        "wild": lambda: {0: inf, 1: -inf, 2: 1e308, 3: -0.0}[row["free"] % 4],
        "clock": lambda: row["free"] / (abs(row["free"]) + now + 1.0),
        "late": lambda: row["late"] * 0.03,
    }[use.kind]()


def _as_answered(use, value):
    """The number as the scorer hands it over: in its own dtype, on its own scale."""
    if use.scale != 1:
        value = value * use.scale
    if use.dtype == "float32":
        with np.errstate(over="ignore"):
            value = float(np.float32(value))
    return value / use.scale if use.scale != 1 else value


def _clamped(value):
    if value < 0.0:
        return 0.0
    return min(value, 1.0)


def _beats(mine, other):
    for a, b in zip(mine, other, strict=True):
        if a != b:
            return a > b
    return False
