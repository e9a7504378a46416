"""The cluster on which the next plan stands: what is booked and released, and what stays as it was."""

import numpy as np
import pytest

from bayplan.cluster.gang import Gang
from bayplan.cluster.mig import MigState
from bayplan.cluster.snapshot import Snapshot
from bayplan.placement.decision.planned_cluster import observing
from bayplan.placement.gangs.attempt import attempt, fits
from fleets import booking, share, whole
from unit.placement.builders import gpu, planned_cluster, role, sized, worker

pytestmark = pytest.mark.usefixtures("no_headroom")

CARD = role(gpus={"count": 1})


def server(name, *sizes, **others):
    return worker(name, cards=[gpu(number, memory_mib=mib) for number, mib in enumerate(sizes)], **others)


TWO, FOUR = server("a", 80, 80), server("a", 80, 80, 80, 80)


def theirs(*cards, on="a", **others):
    return booking("theirs", *map(whole, cards), on=on, **others)


def book(state, asked):
    state.book(attempt(state, asked).placed)


def columns(table):
    found = table.gather(sorted(table.schema.state), np.arange(table.size))
    return {name: column.tolist() for name, column in found.items()}


def fresh(state):
    """The same cluster, counted from its bookings."""
    return columns(Snapshot.load(state.cluster.workers, state.bookings).table)


def test_what_is_booked_and_released_is_what_a_snapshot_would_show():
    state = planned_cluster(FOUR, server("b", 80), bookings=[theirs(0), booking("mine", whole(1), replica=5)])
    book(state, sized(role(gpus={"memory_mib": 30}), name="x", replicas=3))
    assert columns(state.table) == fresh(state)

    state.release([each for each in state.bookings if each.workload == "mine"])
    assert [each.workload for each in state.bookings] == ["theirs", "x", "x", "x"]
    assert columns(state.table) == fresh(state)


def test_the_snapshot_and_the_cluster_stay_as_they_were():
    state = planned_cluster(FOUR, bookings=[theirs(0)])
    before = columns(state.snapshot.table)
    book(state, sized(CARD))
    state.release(state.bookings[:1])

    assert columns(state.snapshot.table) == before
    assert state.cluster.bookings == (theirs(0),)


def test_what_is_booked_says_its_role_and_is_found_by_its_workload():
    state = planned_cluster(FOUR)
    asked = sized(("head", 1, CARD), ("body", 2, CARD), gang=Gang())
    book(state, asked)

    assert [each.role for each in state.ledger.held_by_workload(asked.workload.key)] == ["head", "body", "body"]
    assert not state.ledger.held_by_workload(sized(CARD, name="next").workload.key)


def test_bookings_are_told_apart_by_who_they_are():
    """Two equal bookings: only the one that is named goes."""
    state = planned_cluster(TWO, bookings=[booking("o", share(0, 10)), booking("o", share(0, 10))])
    kept = state.bookings[1]
    state.release(state.bookings[:1])

    assert state.bookings[0] is kept
    assert columns(state.table) == fresh(state)


def test_a_booking_on_a_worker_that_is_gone_is_released_too():
    state = planned_cluster(TWO, bookings=[theirs(0, on="gone")])
    state.release(state.bookings)

    assert (state.bookings, set(state.written)) == ((), set())


def test_a_trial_begins_with_no_row_to_redo_however_much_was_booked():
    state = planned_cluster(FOUR, server("b", 80, 80))
    for number in range(4):
        book(state, sized(CARD, name=f"job-{number}"))

    assert (len(state.written), state.trial().touched.tolist()) == (2, [])
    assert state.snapshot.table.columns["bookings"].tolist() == [0, 0]


def test_what_a_trial_writes_stays_there():
    state = planned_cluster(TWO)
    book(state, sized(CARD, name="first"))
    before = columns(state.table)
    trial = state.trial()
    trial.write(0, state.snapshot.after(0, booked=(theirs(1),), table=trial, foreseen=True))

    assert columns(state.table) == before
    assert columns(trial) != before


def test_without_some_bookings():
    held = [theirs(0), booking("others", whole(1))]
    state = planned_cluster(TWO, bookings=held)
    without = state.without(held[:1])

    assert list(without.bookings) == held[1:]
    assert without.snapshot is state.snapshot
    assert columns(without.table) == fresh(without)
    assert (list(state.bookings), fits(state, sized(CARD)), fits(without, sized(CARD))) == (held, False, True)


def test_without_some_of_what_was_just_booked():
    state = planned_cluster(TWO)
    book(state, sized(CARD, name="first", replicas=2))
    without = state.without(state.bookings[1:])

    assert [each.replica for each in without.bookings] == [0]
    assert columns(without.table) == fresh(without)
    assert len(state.bookings) == 2


@pytest.mark.parametrize("planned", [False, True], ids=["as it was read", "after a plan"])
def test_with_other_workers(planned):
    state = planned_cluster(TWO, server("b", 80), bookings=[theirs(0, 1)])
    if planned:
        book(state, sized(CARD, name="first"))
    more, larger = state.with_workers([server("c", 80)]), state.with_workers([FOUR])

    for each, names in ((more, ["a", "b", "c"]), (larger, ["b", "a"])):
        assert [one.name for one in each.cluster.workers] == names
        assert each.bookings == state.bookings
        assert columns(each.table) == {
            name: [column[number] for number in _rows(each)] for name, column in fresh(each).items()
        }
    assert [fits(each, sized(CARD, replicas=2)) for each in (state, more, larger)] == [False, not planned, True]


def _rows(state):
    """Rows of a fresh snapshot in the order of this one."""
    other = Snapshot.load(state.cluster.workers, state.bookings)
    return [other.row(each.name) for each in state.snapshot.workers]


def test_emptied_thinks_away_bookings_and_nothing_else():
    """Of 80 MiB others use 30 that nobody booked."""
    where = worker(cards=[gpu(0, memory_mib=80, observed_used_mib=50)])
    emptied = planned_cluster(where, bookings=[booking("o", share(0, 20))]).emptied()

    assert emptied.bookings == ()
    assert emptied.cluster.workers[0].gpus[0].observed_used_mib == 30
    assert [fits(emptied, sized(role(gpus={"memory_mib": mib}))) for mib in (50, 51)] == [True, False]


def test_a_cluster_without_bookings_is_emptied_without_reading_it_again():
    state = planned_cluster(TWO)

    assert state.emptied().snapshot is state.snapshot
    assert state.emptied() is state.emptied()


def test_the_result_is_the_cluster_as_a_file_says_it():
    observed = worker("seen", cards=[gpu(0, memory_mib=80, observed_used_mib=5)])
    state = planned_cluster(observed, TWO, bookings=[theirs(0)])
    before = state.cluster
    book(state, sized(role(gpus={"memory_mib": 60}), replicas=2))
    result = state.result()

    assert state.cluster is before
    assert [each.workload for each in result.bookings] == ["theirs", "mine", "mine"]
    assert sorted(each.worker for each in result.bookings[1:]) == ["a", "seen"]
    assert [each.gpus[0].observed_used_mib for each in result.workers] == [65, None]
    assert columns(Snapshot.of(result).table) == columns(state.table)


def test_the_result_cuts_cards_as_their_holders_need_it():
    cut = worker("a", cards=[gpu(0, mig=MigState(enabled=True, reconfigurable=True))])
    state = planned_cluster(cut)
    book(state, sized(role(gpus={"mig": "3g.20gb"})))

    assert not state.cluster.workers[0].gpus[0].mig.slices
    assert [each.profile for each in state.result().workers[0].gpus[0].mig.slices] == ["3g.20gb"]


def test_observed_use_is_written_only_where_use_is_observed():
    cards = [gpu(0, observed_used_mib=1), gpu(1)]

    assert [each.observed_used_mib for each in observing(worker(cards=cards), [7, 8]).gpus] == [7, None]
    unseen = worker(cards=2)
    assert observing(unseen, [7, 8]) is unseen


def test_each_decision_has_a_seed_of_its_own():
    state = planned_cluster(TWO, seed=5, now=7.0)

    assert ([state.seed(number) for number in range(3)], state.now) == ([5, 6, 7], 7.0)
    assert (state.emptied().seed(1), state.emptied().now) == (6, 7.0)
