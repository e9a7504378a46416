"""Wastes, room for large demands and scarce cards, by hand."""

from dataclasses import replace

import numpy as np
import pytest

from bayplan.cluster.snapshot import Snapshot
from bayplan.placement.packing.mix import Mix
from bayplan.placement.packing.outlook import FINE, look_out
from bayplan.placement.packing.room_left import BOUNDLESS, Room
from bayplan.placement.packing.worth import class_worths, scarce_worths, waste_worths, wastes, wastes_ahead
from unit.placement.builders import ask
from unit.placement.scorers.packed import host, percent, wholes


def foreseen(asks, *orders):
    """The outlook in which these demands (by place among the asks) come, one future for each order."""
    found = look_out(Mix.of(asks), Snapshot.load([host(2, 64)]).table)
    demands = list(Mix.of(asks).weights())
    by_ask = [demands.index(_only(each)) for each in asks]
    futures = np.array([[by_ask[place] for place in order] for order in orders])
    return replace(found, futures=futures, future_milli=found.need_milli[:, futures])


def _only(asked):
    return next(iter(Mix.of([asked]).weights()))


def room(*milli, cpu_milli=BOUNDLESS):
    return Room(np.array([cpu_milli]), np.array([BOUNDLESS]), np.array([milli]))


ONE = np.array([1])
ASKS = (wholes(1), percent(30), wholes(2), percent(60, cores=4), ask(cpu_milli=8000))

WASTES = {
    "nothing is free": (room(0, 0), [(0, 1)], 0),
    "a share of one": (room(500, 0), [(1,)], 200),
    "only what fits": (room(500, 0), [(0, 1, 1)], 200),
    "the fullest card that suffices": (room(1000, 400), [(1, 0)], 100),
    "in order": (room(1000, 0), [(1, 0)], 700),
    "several cards together": (room(1000, 1000), [(2,)], 0),
    "several cards, of which one is in use": (room(1000, 900), [(2,)], 1900),
    "no CPU for it": (room(1000, 0, cpu_milli=3999), [(3,)], 1000),
    "CPU that others took": (room(1000, 0, cpu_milli=9000), [(4, 3)], 1000),
    "over all futures": (room(1000, 0), [(0,), (1,)], 700),
}


@pytest.mark.parametrize(("free", "orders", "wanted"), WASTES.values(), ids=WASTES)
def test_wastes(free, orders, wanted):
    assert wastes(foreseen(ASKS, *orders), ONE, free).tolist() == [wanted]


def test_the_waste_ahead_is_the_mean_over_what_may_come_next():
    outlook = replace(foreseen(ASKS, (1,)), steps=np.array([_step(wholes(1)), _step(percent(30))]))

    assert wastes_ahead(outlook, ONE, room(1000, 0)).tolist() == [(0 + 400) // 2]
    assert wastes_ahead(outlook, ONE, room(500, 0)).tolist() == [200]
    assert wastes_ahead(outlook, ONE, room(100, 0)).tolist() == [100]


def _step(asked):
    return list(Mix.of(ASKS).weights()).index(_only(asked))


def test_room_for_large_demands_is_worth_their_price():
    outlook = foreseen(ASKS, (0,))
    price = outlook.price[outlook.cards == 2].item()

    assert price > 0
    assert class_worths(outlook, ONE, room(1000, 1000)).tolist() == [price]
    assert class_worths(outlook, ONE, room(1000, 900)).tolist() == [0]


def test_scarce_cards_count_more_free_and_wasted():
    outlook = replace(foreseen(ASKS, (0,), (1,)), scarcity=np.array([0, 5]))

    assert scarce_worths(outlook, ONE, room(1000, 200)).tolist() == [5 * 2 * 1200]
    assert waste_worths(outlook, ONE, np.array([100])).tolist() == [100 * (FINE + 5)]
