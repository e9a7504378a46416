"""Every set of cards that a worker could give, but none twice."""

import pytest

from bayplan.cluster.links import Wiring, wire
from bayplan.cluster.mig import MigInstance, MigState
from bayplan.cluster.workload import Locality
from bayplan.placement.gangs import card_choices
from bayplan.placement.gangs.card_choices import CardChoice, CardChoices
from bayplan.placement.gangs.worker_capacity import question
from fleets import booking, instance, share as held_share, whole
from unit.placement.builders import gpu, need, role, worker
from unit.placement.gangs.racks import CARD, PAIR, gang_of, share, trial_of

CUT = MigState(enabled=True, reconfigurable=True)


def found(shape, on, *, bookings=(), beside=()):
    """The ways of one member, and whether there were too many."""
    one = trial_of(gang_of(shape), on, bookings=bookings)
    (ask,) = one.asked(one.sized.roles[0], 1).asks
    ways = CardChoices(one, [ask, *beside])
    return list(ways.ways(ask, 0)), ways.cut_off


def places(*args, **others):
    return [way.places for way in found(*args, **others)[0]]


def linked(wiring, count=4):
    cards = tuple(map(gpu, range(count)))
    return worker("a", cards=cards, links=wire(wiring, cards))


NVLINK = role(gpus={"count": 2, "locality": Locality.NVLINK})
SIZES = [gpu(0, memory_mib=10), gpu(1, memory_mib=20), gpu(2, memory_mib=20)]

SETS = {
    "cards that are alike": (CARD, worker("a", cards=4), (), [(0,)]),
    "one of them is held": (CARD, worker("a", cards=3), [booking("o", whole(0))], [(1,)]),
    "one of them is partly held": (
        share(10), worker("a", cards=3), [booking("o", held_share(1, 5))], [(0,), (1,)],
    ),
    "of two sizes": (share(8), worker("a", cards=SIZES), (), [(0,), (1,)]),
    "two of two sizes": (share(8, cards=2), worker("a", cards=SIZES), (), [(0, 1), (1, 2)]),
    "two models": (
        PAIR, worker("a", cards=[gpu(0), gpu(1), gpu(2, model="L4"), gpu(3, model="L4")]), (), [(0, 1), (2, 3)],
    ),
    "linked pairs": (NVLINK, linked(Wiring.NVLINK_PAIRS), (), [(0, 1), (2, 3)]),
    "all linked to all": (NVLINK, linked(Wiring.NVSWITCH), (), [(0, 1)]),
    "nobody asks for links": (PAIR, linked(Wiring.NVLINK_PAIRS), (), [(0, 1)]),
    "nothing": (role(), worker("a", cards=2), (), []),
}  # fmt: skip


@pytest.mark.parametrize(("shape", "on", "bookings", "expected"), SETS.values(), ids=SETS)
def test_sets_of_cards(shape, on, bookings, expected):
    assert places(shape, on, bookings=bookings) == expected


def test_cards_are_told_apart_where_another_member_asks_for_links():
    one = trial_of(gang_of(NVLINK), linked(Wiring.NVLINK_PAIRS))
    near = one.asked(one.sized.roles[0], 1).asks

    assert len(places(PAIR, linked(Wiring.NVLINK_PAIRS), beside=near)) > 1


def starts(shape, on, **others):
    return [[(part.index, part.mig.start) for part in way.instances] for way in found(shape, on, **others)[0]]


def slices(profile, count=1):
    return role(gpus={"count": count, "mig": profile})


INSTANCES = {
    "every start": (slices("3g.20gb"), [CUT], (), [[(0, 0)], [(0, 4)]]),
    "not where somebody is": (slices("3g.20gb"), [CUT], [booking("o", instance("1g.5gb", 0))], [[(0, 4)]]),
    "cards that are alike": (slices("4g.20gb"), [CUT, CUT], (), [[(0, 0)]]),
    "two at once": (slices("3g.20gb", 2), [CUT], (), [[(0, 0), (0, 4)], [(0, 4), (0, 0)]]),
    "what exists": (slices("1g.5gb"), [MigState(slices=(MigInstance("1g.5gb", 6),))], (), [[(0, 6)]]),
}


@pytest.mark.parametrize(("shape", "states", "bookings", "expected"), INSTANCES.values(), ids=INSTANCES)
def test_instances(shape, states, bookings, expected):
    on = worker("a", cards=[gpu(index, mig=state) for index, state in enumerate(states)])

    assert starts(shape, on, bookings=bookings) == expected


def test_instances_of_no_known_card_come_first():
    on = worker("a", cards=[gpu(0, mig=CUT)], mig_slices={"4g.20gb": 1})

    assert starts(slices("4g.20gb", 2), on) == [[(None, None), (0, 0)]]


def test_too_many_to_try(monkeypatch):
    monkeypatch.setattr(card_choices, "MOST_WAYS", 1)

    assert found(share(8), worker("a", cards=SIZES)) == ([CardChoice(_ask(share(8)), (0,))], True)
    assert not found(CARD, worker("a", cards=2))[1]


def test_layers_are_divided_in_one_way_only():
    model = role(need(60, layers=6), "llama-cpp", gpus={"count": 2})

    assert found(model, worker("a", cards=2)) == ([], True)


def test_a_way_takes_exactly_its_cards():
    one = trial_of(gang_of(share(8)), worker("a", cards=3))
    role = one.sized.roles[0]
    ask = one.asked(role, 1).asks[0]
    placed, values = CardChoice(ask, (2,)).placed(one, 0, question(one, role, 0, ask))

    assert [card.index for card in placed.bookings[0].cards] == [2]
    assert values[0].on("card_share_mib", [0, 0, 0]) == [0, 0, 8]


def _ask(shape):
    return trial_of(gang_of(shape), worker("a", cards=SIZES)).asked(gang_of(shape).roles[0], 1).asks[0]
