"""Snapshots after bookings, with other workers, and with what is newly known of them."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from bayplan.cluster.booking import Booking, CardBooking
from bayplan.cluster.columns import STATE_NAMES, UNKNOWN
from bayplan.cluster.frozen_map import FrozenMap
from bayplan.cluster.gpu import CardId, Gpu
from bayplan.cluster.mig import MigInstance
from bayplan.cluster.snapshot import FEW_MEASUREMENTS, Snapshot
from bayplan.cluster.topology import Level, TopologyPath
from bayplan.cluster.utilization import Utilization
from bayplan.cluster.worker import Worker, WorkerStatus, uid_hash, uid_of
from bayplan.framework.errors import InputError
from bayplan.framework.handlers.single_profile import SingleProfile
from bayplan.framework.pickers.max_score import MaxScore
from bayplan.framework.plugins import Resolution
from bayplan.framework.profile import Profile
from bayplan.framework.scheduler import Scheduler
from fleets import CUT, FIXED, a100, a100s, after, booking, instance, share, whole, worker
from unit.cluster.snapshots import snapshot, state

HELD = {
    "cpu and ram": booking("x", cpu_milli=100, ram_mib=100),
    "a share": booking("x", share(1, 1000, 100), cpu_milli=1),
    "two whole cards": booking("x", whole(1), whole(2)),
    "instances": booking("x", instance("1g.5gb", 6), instance("2g.10gb", 0)),
    "a slice of no known card": booking("x", CardBooking(None, mig=MigInstance("1g.5gb"))),
    "a card that is not there": booking("x", whole(9)),
}


def mixed():
    cards = [a100(0, mig=CUT), a100(1, observed_used_mib=3000), a100(2), a100(3, mig=FIXED)]
    offer = {"mig_slices": FrozenMap({"1g.5gb": 3}), "reserved_gpu_memory_mib": 100, "reserved_ram_mib": 50}
    return worker("a", cards, **offer), worker("b", 20), worker("c", [Gpu(0)], cpu_milli=None)


@pytest.mark.parametrize("held", HELD.values(), ids=HELD)
def test_after_gives_what_a_fresh_snapshot_would(held):
    others = [booking("m", share(1, 500), replica=1)]
    shot = snapshot(*mixed(), bookings=others)
    wanted = state(snapshot(*mixed(), bookings=[*others, held]))
    before = state(shot)

    booked = shot.after(shot.rows["a"], booked=[held])
    assert {**before, **after(shot, shot.rows["a"], booked=[held])} == wanted
    assert state(shot) == before, "nothing is written"

    shot.table.write(shot.rows["a"], booked)
    assert {**wanted, **after(shot, shot.rows["a"], released=[held])} == before


def test_after_on_a_fork_sees_what_was_written_there():
    shot = snapshot(*mixed())
    fork, row = shot.table.fork(), shot.rows["a"]
    for name, held in HELD.items():
        if "instances" not in name:
            fork.write(row, shot.after(row, booked=[held], table=fork))

    wanted = snapshot(*mixed(), bookings=[held for name, held in HELD.items() if "instances" not in name])
    assert {name: fork.columns[name][row].tolist() for name in STATE_NAMES} == {
        name: state(wanted)[name] for name in STATE_NAMES
    }
    assert state(shot) == state(snapshot(*mixed()))


def test_a_snapshot_with_more_workers_is_the_one_of_all():
    held = [booking("m", whole(11), on="b")]
    loose = worker("d", 1, path=("q",), mig_slices=FrozenMap({"1g.5gb": 2}))
    grown = snapshot(worker("a", 2)).with_workers([worker("b", 12, path=("r",)), loose], held)

    fresh = snapshot(worker("a", 2), worker("b", 12, path=("r",)), loose, bookings=held)
    for name in "abd":
        assert _without_numbers(state(grown, name)) == _without_numbers(state(fresh, name))
    assert grown.table.keys == fresh.table.keys
    assert grown.domains[Level.REGION].names == fresh.domains[Level.REGION].names


def _without_numbers(values):
    return {name: value for name, value in values.items() if not name.endswith("_id")}


def test_a_snapshot_with_fewer_workers_leaves_the_old_one_as_it_was():
    old = snapshot(worker("a", path=("r",)), worker("b"), worker("c", path=("r",)))
    new = old.without(["a"])

    assert sorted(new.table.keys) == ["b", "c"]
    assert [new.workers[row].name for row in range(2)] == new.table.keys
    assert new.domains[Level.REGION].rows(0) == slice(new.rows["c"], new.rows["c"] + 1)
    assert len(old.table.keys) == 3


def test_a_worker_that_is_there_twice_or_not_at_all_is_an_input_error():
    with pytest.raises(InputError, match="worker a: is there already; update or remove it first"):
        snapshot(worker()).with_workers([worker()])
    with pytest.raises(InputError, match="worker b: is there already"):
        snapshot(worker()).with_workers([worker("b"), worker("b")])
    with pytest.raises(InputError, match="worker x: is not there; there are 1 others"):
        snapshot(worker()).without(["x"])


UPDATES = {  # whether the table can stay
    "status": ({"status": WorkerStatus.NOT_READY}, True),
    "use": ({"gpus": a100s(2, observed_used_mib=20_000)}, True),
    "health": ({"gpus": (a100(0, healthy=False), a100(1))}, True),
    "labels and price": ({"labels": FrozenMap({"x": "y"}), "usd_per_hour": 1.0}, True),
    "fewer cards": ({"gpus": a100s(1)}, True),
    "more cards": ({"gpus": a100s(5)}, False),
    "another rack": ({"path": ("r", "z", "b", "k")}, False),
    "slices of a new profile": ({"mig_slices": FrozenMap({"1g.5gb": 2, "2g.10gb": 3})}, False),
    "another service": ({"services": ("store",)}, False),
}


@pytest.mark.parametrize(("change", "stays"), UPDATES.values(), ids=UPDATES)
def test_what_is_newly_known_of_a_worker_is_written_in_place_where_there_is_room(change, stays):
    held = [booking("m", share(0, 1000))]
    path = change.get("path", ())
    fresh = replace(worker("a", path=path), **{name: value for name, value in change.items() if name != "path"})
    old = snapshot(worker("a", 2), worker("b", 2), bookings=held)

    new = old.updated(fresh, held)

    assert (new is old) == stays
    assert new.workers[new.rows["a"]] == fresh
    wanted = _without_numbers(state(snapshot(fresh, worker("b", 2), bookings=held)))
    found = _without_numbers(state(new))
    for name, value in wanted.items():
        assert found[name][: len(value)] == value if isinstance(value, list) else found[name] == value, name
    assert new.pools.labels[state(new)["labels_id"]] == fresh.labels


def measured(shot):
    """What the columns say of each worker."""
    numbers = shot.table.columns["utilization_id"].tolist()
    return [None if number == UNKNOWN else shot.pools.utilization[number] for number in numbers]


def test_old_measurements_do_not_add_up():
    held = [booking("x", whole(0), on="b")]
    first = shot = snapshot(
        worker("a", 2), worker("b", 2, utilization=Utilization(ram_percent=9.0)), worker("c"), bookings=held
    )
    for number in range(2 * FEW_MEASUREMENTS):
        last, shot = shot, shot.updated(worker("a", 2, utilization=Utilization(age_s=float(number))))
        assert measured(shot) == [each.utilization for each in shot.workers]
        assert last is shot or measured(last) == [each.utilization for each in last.workers]

    assert first is not shot
    assert len(shot.pools.utilization) <= FEW_MEASUREMENTS + 1
    fresh = snapshot(*shot.workers, bookings=held)
    for name in "abc":
        assert _without_numbers(state(shot, name)) == _without_numbers(state(fresh, name))


def test_a_snapshot_of_fewer_measurements_leaves_the_old_one_as_it_was():
    old = snapshot(worker("a", 2))
    for number in range(FEW_MEASUREMENTS + 1):
        assert old.updated(worker("a", 2, utilization=Utilization(age_s=float(number)))) is old
    before = state(old)

    new = old.updated(worker("a", 2, status=WorkerStatus.CORDONED, usd_per_hour=3.0), [booking("x", whole(0))])

    assert new is not old
    assert (state(old), old.workers[0].status) == (before, WorkerStatus.READY)


def test_old_measurements_go_when_workers_come_and_go():
    shot = snapshot(worker("a"))
    for number in range(FEW_MEASUREMENTS + 2):
        shot = shot.without(["a"]).with_workers([worker("a", utilization=Utilization(age_s=float(number)))])

    assert len(shot.pools.utilization) == 1


def test_who_hosts_a_service_is_known_to_all_rows():
    shot = snapshot(
        worker("a", path=("r", "z"), services=("store", "queue")), worker("b", services=("store",)), worker("c")
    )
    hosts = shot.table.shared["hosts"]

    assert {service: set(each) for service, each in hosts.items()} == {
        "store": {(uid_hash(uid_of("a")), TopologyPath("r", "z")), (uid_hash(uid_of("b")), TopologyPath())},
        "queue": {(uid_hash(uid_of("a")), TopologyPath("r", "z"))},
    }


def test_hosts_follow_workers():
    shot = snapshot(worker("a", services=("store",)), worker("b"))
    moved = shot.updated(worker("a", path=("r",), services=("store",)))

    assert moved.table.shared["hosts"]["store"] == ((uid_hash(uid_of("a")), TopologyPath("r")),)
    assert moved.without(["a"]).table.shared["hosts"] == {}
    assert set(moved.with_workers([worker("c", services=("queue",))]).table.shared["hosts"]) == {"store", "queue"}
    assert shot.table.shared["hosts"]["store"] == ((uid_hash(uid_of("a")), TopologyPath()),)


def test_only_rows_of_static_columns_that_changed_are_redone():
    shot = snapshot(worker("a", 2))
    ticks = shot.table.log.tick, shot.table.static_log.tick

    shot.updated(worker("a", 2, status=WorkerStatus.NOT_READY))
    assert (shot.table.log.tick, shot.table.static_log.tick) == (ticks[0] + 1, ticks[1])

    shot.updated(worker("a", 2, labels=FrozenMap({"x": "y"})))
    assert (shot.table.log.tick, shot.table.static_log.tick) == (ticks[0] + 2, ticks[1] + 1)


class Room:
    """Keeps the workers that have a card with that much free memory."""

    name = "room"
    reads = ("card_free_mib", "card_shareable")

    def mask(self, ask, rows, cycle):
        return ((rows.card_free_mib >= ask) & rows.card_shareable).any(axis=1)


class Tight:
    """Likes workers on which more is booked."""

    name = "tight"
    reads = ("card_booked_mib",)

    def score(self, ask, rows, cycle):
        return np.minimum(rows.card_booked_mib.sum(axis=1) / 400_000, 1.0)


class FirstCard:
    """Books a share of the first card that has room."""

    name = "first-card"

    def __init__(self, shot):
        self.shot = shot

    def resolve(self, ask, table, row, cycle):
        free = table.gather(("card_free_mib",), np.array([row]))["card_free_mib"][0].tolist()
        card = next(index for index, mib in enumerate(free) if mib >= ask)
        held = Booking("m", cycle.subject, table.keys[row], cards=(share(card, ask),))
        return Resolution(held, {row: self.shot.after(row, booked=(held,), table=table)})


def test_planning_64_members_on_50_000_workers_takes_next_to_no_memory_and_changes_nothing():
    cards, count = a100s(8), 50_000
    shot = Snapshot.load(Worker(f"w{n}", gpus=cards, cpu_milli=1000, ram_mib=1000) for n in range(count))
    profile = Profile("pack", MaxScore(), (Room(),), (Tight(),), resolver=FirstCard(shot))
    scheduler = Scheduler([profile], SingleProfile(), table=shot.table)
    scheduler.schedule(64, 20_000)
    version, columns = shot.table.version, {name: column.copy() for name, column in shot.table.columns.items()}

    tracemalloc.start()
    try:
        fork = shot.table.fork()
        placed = []
        for member in range(64):
            (pick,) = scheduler.schedule(member, 20_000, table=fork).picked
            for row, values in pick.resolution.writes.items():
                fork.write(row, values)
            placed.append(pick.resolution.value)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    kept_bytes = scheduler.evaluator("pack", fork).classes.nbytes
    assert peak_bytes - kept_bytes < 4 * 1024 * 1024
    assert len({(each.worker, each.cards[0].card) for each in placed}) == 32, "two of 20 GiB to a card"
    assert len({each.worker for each in placed}) == 4, "packed"
    assert shot.table.version == version
    assert all(np.array_equal(column, columns[name]) for name, column in shot.table.columns.items())


def test_a_card_stands_where_the_columns_say():
    shot = snapshot(worker("a", [a100(5), a100(3)]), bookings=[booking("m", whole(3))])

    assert shot.site(0).cards.position == {CardId("cuda", 5): 0, CardId("cuda", 3): 1}
    assert state(shot)["card_wholly_free"] == [True, False]


def test_the_site_of_a_row_is_kept_until_its_worker_is_updated():
    snapshot = Snapshot.load([worker("a", 2, reserved_gpu_memory_mib=0)])
    before = snapshot.site(0)
    updated = snapshot.updated(worker("a", 2, reserved_gpu_memory_mib=1024))

    assert snapshot.site(0) is snapshot.site(0)
    assert updated is snapshot
    assert [facts.reserved_mib for facts in before.facts] == [0, 0]
    assert [facts.reserved_mib for facts in updated.site(0).facts] == [1024, 1024]


def test_emptied_counts_what_other_processes_use_and_no_booking():
    def workers(*used):
        seen = [a100(index, observed_used_mib=each) for index, each in enumerate(used)]
        return worker("a", seen), worker("b", status=WorkerStatus.CORDONED)

    held = [booking("x", share(0, 20_000)), booking("y", whole(1), on="b")]
    full, alone = snapshot(*workers(30_000, 5_000), bookings=held), snapshot(*workers(10_000, 5_000))
    emptied = full.emptied(full.workers)

    assert [state(emptied, name) for name in "ab"] == [state(alone, name) for name in "ab"]
    assert all(emptied.table.columns[name].dtype == alone.table.columns[name].dtype for name in STATE_NAMES)
