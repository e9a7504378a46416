"""Which rows have a zone that holds a request, and on which cards room remains then."""

from types import SimpleNamespace

import numpy as np
import pytest

from bayplan.cluster.columns import STATE_NAMES, STATIC_NAMES
from bayplan.cluster.mig import MigState
from bayplan.cluster.snapshot import Snapshot
from bayplan.placement.asks.ask import CardRule, CardShape, Taking
from bayplan.placement.cards.numa.zone_fit import aligned, aligned_slices, cards_in
from bayplan.placement.cards.numa.zones import zones_of
from bayplan.placement.cards.room import NO_ROOM, room_of
from bayplan.placement.producers.usable_cards import UsableCards
from fleets import booking, whole
from unit.placement.builders import ask, gpu, worker
from unit.placement.numa_builders import pod, wants, zoned

ROOMY = (8, 999), (8, 999)
CUT = MigState(enabled=True, reconfigurable=True)


def share(*shapes, cores=0, **others):
    wanted = tuple(CardShape(*each) for each in shapes)
    rule = CardRule(needs_memory=True)
    return ask(taking=Taking.SHARE, shapes=wanted, rule=rule, cpu_milli=cores * 1000, **others)


def slices(count, cores=0, **others):
    return ask(taking=Taking.SLICES, mig="1g.5gb", shapes=(CardShape(count),), cpu_milli=cores * 1000, **others)


def cut(*zones, cards):
    gpus = [gpu(index, numa=zone, mig=CUT) for index, zone in enumerate(cards)]
    return worker(cards=gpus, numa=zoned(*zones).numa)


def shown(asked, *workers, bookings=()):
    """The workers with all columns that somebody could look at, and their usable cards."""
    snapshot = Snapshot.load(workers, bookings)
    table, index = snapshot.table, np.array([snapshot.row(each.name) for each in workers], np.intp)
    columns = table.gather((*STATIC_NAMES, *STATE_NAMES), index)
    rows = SimpleNamespace(size=len(index), pools=table.shared["pools"], **columns)
    vars(rows).update(UsableCards().produce(asked, rows, None))
    return rows


def fit(asked, *workers, bookings=()):
    """By row whether a zone holds the request, and the positions of cards with room."""
    rows = shown(asked, *workers, bookings=bookings)
    room = room_of(asked, rows)
    before = room.copy()
    found = aligned(asked, rows, room)

    assert (room == before).all()
    return found.fits.tolist(), [np.flatnonzero(line > NO_ROOM).tolist() for line in found.room]


CARDS = {
    "one card: any zone that holds it": (wants(1, 1, 1), zoned(*ROOMY, cards=[0, 1, 1]), True, [0, 1, 2]),
    "one card, but not of a zone without the CPU": (
        wants(4, 1, 1), zoned((2, 99), (8, 99), cards=[0, 1, 1]), True, [1, 2]),
    "several: the fewest that suffice": (wants(1, 1, 2), zoned(*ROOMY, cards=[0, 0, 0, 1, 1]), True, [3, 4]),
    "over several workers: the most": (
        wants(1, 1, 2, spans=True), zoned(*ROOMY, cards=[0, 0, 0, 1, 1]), True, [0, 1, 2]),
    "none holds it: all keep their room": (wants(1, 1, 2), zoned(*ROOMY, cards=[0, 1]), False, [0, 1]),
    "too few over all zones is for others": (wants(9, 1, 3), zoned(*ROOMY, cards=[0, 1]), True, [0, 1]),
    "no cards asked": (wants(9), zoned(*ROOMY, cards=[0]), False, [0]),
    "an earlier shape before fewer cards": (
        share((2, 9), (1, 9)), zoned(*ROOMY, cards=[0, 1, 1, 1]), True, [1, 2, 3]),
    "another policy": (wants(9, 1, 2), zoned(*ROOMY, cards=[0, 1], policy="none"), True, [0, 1]),
    "a need that nobody knows": (share((1, 9), cores=9, unknown="give weights"), zoned(*ROOMY, cards=[0]), True, [0]),
    "each container in its zone, the least free cards": (
        pod((5, 1, 1), (5, 1, 1)), zoned(*ROOMY, cards=[0, 0, 1, 1]), True, [0, 2]),
    "no zone for the second": (pod((5, 1, 1), (5, 1, 1)), zoned((8, 99), (1, 99), cards=[0, 1]), False, [0, 1]),
}  # fmt: skip


@pytest.mark.parametrize(("asked", "on", "fits", "cards"), CARDS.values(), ids=CARDS)
def test_cards(asked, on, fits, cards):
    assert fit(asked, on) == ([fits], [cards])


def test_rows_are_judged_each_for_itself():
    strict = zoned(*ROOMY, name="a", cards=[0, 1])
    free = zoned(*ROOMY, name="b", cards=[0, 1], policy="best-effort")
    by_pod = zoned(*ROOMY, name="c", cards=[0, 1], scope="pod")
    pair = zoned(*ROOMY, name="d", cards=[0, 0, 1, 1])
    asked = pod((1, 1, 1), (1, 1, 1))

    fits, cards = fit(asked, strict, free, by_pod, pair, worker("e", cards=2))

    assert fits == [True, True, False, True, True]
    assert cards == [[0, 1], [0, 1], [0, 1], [0, 1], [0, 1]]


def test_what_is_held_has_no_room():
    held = (booking("o", whole(3), cpu_milli=1000),)

    assert fit(wants(1, 1, 2), zoned(*ROOMY, cards=[0, 0, 0, 1, 1]), bookings=held) == ([True], [[0, 1, 2]])


SLICES = {
    "the zone with the fewest that suffice": (slices(7), cut(*ROOMY, cards=[0, 0, 1]), True, [2]),
    "the other, where there are more": (slices(8), cut(*ROOMY, cards=[0, 0, 1]), True, [0, 1]),
    "the zone with the CPU": (slices(1, 4), cut((2, 99), (8, 99), cards=[0, 1, 1]), True, [1, 2]),
    "no zone has so many": (slices(8), cut(*ROOMY, cards=[0, 1]), False, [0, 1]),
    "too few over all zones is for others": (slices(15), cut(*ROOMY, cards=[0, 1]), True, [0, 1]),
}


@pytest.mark.parametrize(("asked", "on", "fits", "cards"), SLICES.values(), ids=SLICES)
def test_slices(asked, on, fits, cards):
    rows = shown(asked, on)

    assert aligned(asked, rows, np.zeros(rows.card_usable.shape, np.int64)).fits.tolist() == [fits]
    assert np.flatnonzero(aligned_slices(asked, rows)[0]).tolist() == cards


COUNTS = {
    "cards with that much room": (share((1, 9)), zoned(*ROOMY, cards=[0, 1, 1]), 9, [1, 2]),
    "none is so large": (share((1, 9)), zoned(*ROOMY, cards=[0, 1, 1]), 50_000, [0, 0]),
    "instances": (slices(1), cut(*ROOMY, cards=[0, 1, 1]), 0, [7, 14]),
}


@pytest.mark.parametrize(("asked", "on", "need_mib", "counts"), COUNTS.values(), ids=COUNTS)
def test_how_many_each_zone_has(asked, on, need_mib, counts):
    rows = shown(asked, on)

    assert cards_in(asked, rows, zones_of(rows), CardShape(1, need_mib)).tolist() == [counts]
