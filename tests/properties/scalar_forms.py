"""The row plugins of `worlds` once more, as functions of one row: their twins."""

import numpy as np


def free_enough(p, need, free):
    return free >= need


def under_cap(p, need, used, cap):
    return used <= cap


def room_enough(p, need, room):
    return room >= p


def eligible(p, need, eligible):
    return eligible != p


def some_card(p, need, cards):
    """Not one expression: it is called."""
    found = False
    for card in cards:
        if card > p:
            found = True
    return found


def fullness(scale, used, free):
    return used / (used + 1.0 + abs(free)) * scale


def rated(scale, used, rate):
    return used * rate * scale


def by_room(scale, room):
    return room / SEVEN * scale


def by_eligible(scale, eligible):
    return eligible * 0.1 * scale


def by_cards(scale, cards):
    return (cards[0] + cards[1] + cards[2]) / 9.0 * scale


def wild(scale, table, free):
    return table[free % 4] * scale


def room(need, free):
    return free - need


def make_eligible(need, fits, free):
    return fits * free


SEVEN = 7.0
FILTERS = {
    "free-enough": free_enough, "under-cap": under_cap, "room-enough": room_enough, "eligible": eligible,
    "some-card": some_card,
}  # fmt: skip
SCORERS = {
    "fullness": fullness, "rated": rated, "room": by_room, "eligible": by_eligible, "cards": by_cards, "wild": wild,
}  # fmt: skip
PRODUCERS = {"room": room, "eligible": make_eligible}
TABLES = {"wild": (np.array([np.inf, -np.inf, 1e308, -0.0]),)}
