"""The look-ups of one card: room, start, cost and fullness by what is taken."""

import numpy as np
import pytest

from bayplan.cluster.mig import GEOMETRIES, MASKS, MigInstance, MigState
from bayplan.cluster.mig_layout import MigLayout
from bayplan.cluster.pool import Pool
from bayplan.placement.cards.mig.tables import NEVER, WAY_BIT, InstanceCut, existing_room, slice_table, stacked

A100 = GEOMETRIES["40GB"]


def layout(*slices, enabled=True, reconfigurable=True, geometry=A100):
    state = MigState(enabled, reconfigurable, tuple(MigInstance(*each) for each in slices))
    return MigLayout(geometry, state)


@pytest.mark.parametrize("geometry", GEOMETRIES.values(), ids=GEOMETRIES)
@pytest.mark.parametrize("enabled", [True, False])
def test_new_instances_begin_where_most_room_is_kept_for_others(geometry, enabled):
    for profile in geometry.profiles:
        table = slice_table(layout(enabled=enabled, geometry=geometry), profile.name)

        assert table.room == list(profile.room)
        for taken in range(MASKS):
            start = best_start(geometry, profile, taken)
            if start is None:
                assert table.cost[taken] == NEVER
            else:
                assert (table.start[taken], table.after[taken]) == (start, taken | profile.mask(start))


def best_start(geometry, profile, taken):
    """Room is compared profile by profile, the largest first; ties go to the high end, since large ones begin low."""

    def room_left(start):
        after = taken | profile.mask(start)
        return (*(other.room[after] for other in reversed(geometry.profiles)), start)

    return max(profile.free_starts(taken), key=room_left, default=None)


def test_a_start_keeps_the_largest_pieces_whole():
    table, taken, order = slice_table(layout(), "1g.5gb"), 0, []
    while table.cost[taken] < NEVER:
        order.append(table.start[taken])
        taken = table.after[taken]

    assert order[:3] == [6, 5, 4]
    assert sorted(order) == [0, 1, 2, 3, 4, 5, 6]
    assert slice_table(layout(), "2g.10gb").start[0] == 4
    assert slice_table(layout(), "3g.20gb").start[0] == 4
    assert slice_table(layout(), "4g.20gb").cost[0b0001] == NEVER


WAYS = {
    "one that exists": (layout(("1g.5gb", 2)), "1g.5gb", 0, InstanceCut.EXISTS, 2),
    "all that exist are taken": (layout(("1g.5gb", 2)), "1g.5gb", 0b100, InstanceCut.CUT, 3),
    "one that may not be made exists": (layout(("1g.5gb", 2), reconfigurable=False), "1g.5gb", 0, InstanceCut.EXISTS, 2),  # noqa: E501
    "nobody knows the geometry": (layout(("1g.5gb", 2), geometry=None), "1g.5gb", 0, InstanceCut.EXISTS, 2),
    "others exist": (layout(("3g.20gb", 0)), "1g.5gb", 0, InstanceCut.CUT, 6),
    "the card is not cut": (layout(enabled=False), "1g.5gb", 0, InstanceCut.SWITCH_ON, 6),
    "the card will be cut": (layout(enabled=False), "1g.5gb", 0b1000000, InstanceCut.CUT, 5),
    "of those that exist the one that keeps large rooms": (
        layout(("1g.5gb", 0), ("1g.5gb", 4)), "1g.5gb", 0, InstanceCut.EXISTS, 4,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("of", "profile", "taken", "way", "start"), WAYS.values(), ids=WAYS)
def test_the_least_that_it_takes(of, profile, taken, way, start):
    table = slice_table(of, profile)

    assert InstanceCut(table.cost[taken] >> WAY_BIT) is way
    assert (table.profile, table.start[taken]) == (profile, start)


NONE = {
    "a profile of other cards": (layout(), "1g.6gb", 0),
    "no leave": (layout(("3g.20gb", 0), reconfigurable=False), "1g.5gb", 0),
    "no leave to switch MIG on": (layout(enabled=False, reconfigurable=False), "1g.5gb", 0),
    "not of the kind that is cut": (layout(geometry=None), "1g.5gb", 0),
    "in use": (layout(("3g.20gb", 0), reconfigurable=False), "3g.20gb", 0b1),
    "nothing is known of MIG": (MigLayout(), "1g.5gb", 0),
}


@pytest.mark.parametrize(("of", "profile", "taken"), NONE.values(), ids=NONE)
def test_no_room(of, profile, taken):
    table = slice_table(of, profile)

    assert (table.room[taken], table.cost[taken], table.full[taken]) == (0, NEVER, 0.0)


FULL = {
    "an idle card": (layout(), "1g.5gb", 0, 1 / 8),
    "half a card": (layout(), "3g.20gb", 0, 1 / 2),
    "the rest of a card": (layout(), "3g.20gb", 0b1111, 1),
    "what exists of a card": (layout(("1g.5gb", 0), ("3g.20gb", 4), reconfigurable=False), "1g.5gb", 0, 1 / 5),
    "a card of four slices": (layout(geometry=GEOMETRIES["24GB"]), "2g.12gb", 0, 1 / 2),
}


@pytest.mark.parametrize(("of", "profile", "taken", "part"), FULL.values(), ids=FULL)
def test_fullness_is_the_part_of_the_free_slices(of, profile, taken, part):
    assert slice_table(of, profile).full[taken] == pytest.approx(part, abs=1e-5)


def test_of_equally_full_cards_the_one_that_needs_less_done_is_fuller():
    fixed = layout(("3g.20gb", 0), ("3g.20gb", 4))
    cards = [fixed, layout(), layout(enabled=False)]

    fullness = [slice_table(each, "3g.20gb").full[0] for each in cards]

    assert fullness == sorted(fullness, reverse=True)
    assert len(set(fullness)) == 3


def test_a_profile_is_spelt_as_its_owner_does():
    table = slice_table(layout(("1G.5GB", 0), reconfigurable=False), "1g.5gb")

    assert (table.profile, table.start[0]) == ("1G.5GB", 0)


def test_instances_beyond_the_slices_of_an_unknown_card_are_not_given():
    nine = layout(*(("1g.5gb", start) for start in range(9)), geometry=None, reconfigurable=False)

    assert slice_table(nine, "1g.5gb").room[0] == 8


def test_tables_of_a_pool_stand_one_behind_the_other_and_the_last_is_empty():
    pool = Pool()
    layouts = [layout(), layout(enabled=False), layout(("1g.5gb", 0), reconfigurable=False)]
    pool.numbers(layouts)

    tables = stacked(pool, len(pool), "1g.5gb")

    assert tables.room[::MASKS].tolist() == [7, 7, 1, 0]
    assert tables.costs.take(tables.code).tolist() == tables.cost.tolist()
    full = [value for each in layouts for value in slice_table(each, "1g.5gb").full]
    assert tables.full.take(tables.code)[:-MASKS].tolist() == full
    assert (np.diff(tables.costs) > 0).all()
    assert tables.costs[-1] == NEVER


def test_what_exists_and_is_free():
    assert existing_room(layout(("1g.5gb", 0), ("1g.5gb", 1), ("2g.10gb", 2)), "1g.5gb")[:4] == [2, 1, 1, 0]
