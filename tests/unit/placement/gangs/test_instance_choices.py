"""What slices can be cut into, counted over the cards of a worker."""

import pytest

from bayplan.cluster.card_set import CardSet
from bayplan.cluster.mig import MigInstance, MigState
from bayplan.placement.cards.mig.tables import starts_of
from bayplan.placement.gangs import instance_choices as slice_ways
from bayplan.placement.gangs.instance_choices import cut_for
from fleets import booking, instance
from unit.placement.builders import gpu, role, worker
from unit.placement.gangs.racks import CARD, gang_of, trial_of

CUT = MigState(enabled=True, reconfigurable=True)


def slices(profile, count=1):
    return role(gpus={"count": count, "mig": profile})


def a100(index, mig=CUT):
    return gpu(index, model="A100-SXM4-40GB", memory_mib=40960, mig=mig)


def counted(shapes, missing, on, bookings=()):
    one = trial_of(gang_of(*zip(shapes, missing, strict=True)), on, bookings=bookings)
    asks = [ask for role, _ in one.missing() for ask in one.asked(role, 1).asks]
    return cut_for(one, asks, missing, 0)


CASES = {
    "one card, two profiles": (("3g.20gb", "2g.10gb"), (3, 3), 1, (), {(2, 0), (1, 2), (0, 3)}),
    "a card of which a half is taken": (("3g.20gb", "2g.10gb"), (3, 3), 1, [(0, "3g.20gb", 4)], {(1, 0), (0, 2)}),
    "two cards": (("4g.20gb", "3g.20gb"), (3, 3), 2, (), {(2, 2), (1, 3)}),
    "no more than are asked for": (("1g.5gb", "7g.40gb"), (2, 1), 2, (), {(2, 1)}),
    "no room at all": (("4g.20gb", "7g.40gb"), (1, 1), 1, [(0, "1g.5gb", 0)], {(0, 0)}),
}


@pytest.mark.parametrize(("profiles", "missing", "cards", "held", "expected"), CASES.values(), ids=CASES)
def test_numbers_that_nothing_contains(profiles, missing, cards, held, expected):
    on = worker("a", cards=[a100(index) for index in range(cards)])
    bookings = [
        booking(f"o{number}", instance(profile, start, index)) for number, (index, profile, start) in enumerate(held)
    ]

    found = counted([slices(each) for each in profiles], missing, on, bookings)

    assert set(found) == expected
    layout = CardSet.of((a100(0),)).layouts[0]
    for numbers, held_by in found.items():
        assert [role for role, _ in held_by] == [role for role, many in enumerate(numbers) for _ in range(many)]
        taken = dict.fromkeys(range(cards), 0)
        for each in [card for _, way in held_by for card in way.instances]:
            mask = starts_of(layout, each.mig.profile)[each.mig.start]
            assert not taken[each.index] & mask
            taken[each.index] |= mask


def test_a_card_that_may_not_be_cut_gives_what_exists():
    there = MigState(enabled=True, slices=(MigInstance("2g.10gb", 0), MigInstance("3g.20gb", 4)))

    found = counted([slices("2g.10gb"), slices("3g.20gb")], (3, 3), worker("a", cards=[a100(0, there)]))

    assert set(found) == {(1, 1)}


def test_several_instances_a_member():
    found = counted([slices("2g.10gb", 2), slices("1g.5gb", 3)], (2, 2), worker("a", cards=[a100(0)]))

    assert set(found) == {(1, 1), (0, 2)}
    assert [len(way.instances) for _, way in found[1, 1]] == [2, 3]


@pytest.mark.parametrize("shapes", [[slices("1g.5gb"), CARD], [slices("1g.5gb"), slices("2g.10gb")]])
def test_what_nobody_counts(shapes, monkeypatch):
    monkeypatch.setattr(slice_ways, "MOST_NUMBERS", 3)

    assert counted(shapes, (1, 1), worker("a", cards=[a100(0)])) is None
