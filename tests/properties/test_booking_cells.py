"""Counting only the cells that change gives what counting everything anew gives, for one worker and for many."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings, strategies as st

from bayplan.cluster.booking import CardBooking
from bayplan.cluster.claims import Claims
from bayplan.cluster.columns import STATE_NAMES
from bayplan.cluster.device_offer import Sharing
from bayplan.cluster.frozen_map import FrozenMap
from bayplan.cluster.gpu import Gpu
from bayplan.cluster.mig import MigInstance
from bayplan.cluster.numa import Numa, NumaZone
from bayplan.cluster.recount import loose_free, recount, resources_free
from bayplan.cluster.snapshot import Snapshot
from fleets import CUT, FIXED, a100, a100s, booking, instance, share, whole, worker

ZONES = Numa(zones=(NumaZone(0), NumaZone(1)))
FLEET = (
    worker("plain", 2),
    worker(
        "seen",
        [a100(0, observed_used_mib=1000), a100(1, observed_used_mib=30_000), a100(2)],
        reserved_ram_mib=1024, reserved_gpu_memory_mib=2048,
    ),
    worker("cut", [a100(0, mig=CUT), a100(1, mig=FIXED), a100(2, observed_used_mib=900)]),
    worker("zoned", [a100(0), a100(1), a100(2, numa=1), a100(3, numa=None)], numa=ZONES),
    worker("places", [a100(0, places=4), a100(1, places=7, observed_used_mib=50)]),
    worker("hami", 2, sharing=Sharing.HAMI),
    worker("unknown", [Gpu(0), a100(1, healthy=False)], cpu_milli=None, ram_mib=None),
    worker("wide", a100s(20)),
    worker(
        "others", 1, resources=FrozenMap({"rdma/ib": 3, "tpu": 8}), mig_slices=FrozenMap({"1g.5gb": 3, "1G.5GB": 1})
    ),
)  # fmt: skip

LOOSE = CardBooking(None, mig=MigInstance("1g.5gb"))
AMOUNTS = st.sampled_from([0, 1, 900, 20_480, 39_000])
CARDS = st.integers(0, 3)
PARTS = st.one_of(
    st.builds(whole, CARDS, headroom_mib=st.sampled_from([0, 64])),
    st.builds(
        share, CARDS, AMOUNTS, st.sampled_from([None, 300, 1000]),
        headroom_mib=st.sampled_from([0, 800]), places=st.sampled_from([None, 1, 3]),
    ),
    st.builds(instance, st.sampled_from(["1g.5gb", "2g.10gb", "3g.20gb", "9g.9gb"]), st.sampled_from([0, 2, 4]), CARDS),
    st.just(LOOSE),
)  # fmt: skip
RESOURCES = st.dictionaries(st.sampled_from(["rdma/ib", "tpu", "nowhere"]), st.integers(0, 4), max_size=2)


def parts_of_one_booking(drawn):
    return not any(part.clashes_with(other) for number, part in enumerate(drawn) for other in drawn[:number])


BOOKINGS = st.lists(
    st.builds(
        lambda host, parts, cpu, ram, resources: (host, parts, cpu, ram, resources),
        st.sampled_from([each.name for each in FLEET]),
        st.lists(PARTS, max_size=3).filter(parts_of_one_booking),
        st.sampled_from([0, 500]), st.sampled_from([0, 256]), RESOURCES,
    ),
    max_size=12,
).map(
    lambda drawn: [
        booking(f"m{number}", *parts, on=host, cpu_milli=cpu, ram_mib=ram, resources=FrozenMap(resources))
        for number, (host, parts, cpu, ram, resources) in enumerate(drawn)
    ]
)  # fmt: skip
"""Whatever a document may say, whether there is room for it or not."""


def state(table):
    return {name: np.array(table.columns[name]) for name in STATE_NAMES}


def assert_same(mine, theirs):
    for name in STATE_NAMES:
        assert mine[name].dtype == theirs[name].dtype, name
        assert mine[name].tobytes() == theirs[name].tobytes(), name


@settings(max_examples=150, deadline=None)
@given(BOOKINGS, st.booleans(), st.data())
def test_books_and_releases_are_what_a_fresh_count_says(bookings, forked, data):
    left = data.draw(st.lists(st.sampled_from(bookings), unique=True)) if bookings else []
    shot = Snapshot.load(FLEET, bookings)
    table = shot.table.fork() if forked else shot.table
    for each in bookings:
        if each not in left:
            row = shot.row(each.worker)
            table.write(row, shot.after(row, released=[each], table=table))
    again = data.draw(st.permutations([each for each in bookings if each not in left]))
    halfway = state(table)
    for each in again:
        row = shot.row(each.worker)
        table.write(row, shot.after(row, booked=[each], table=table))

    assert_same(state(table), state(Snapshot.load(FLEET, bookings).table))
    for row, host in enumerate(shot.workers):
        held = [each for each in left if each.worker == host.name]
        free, amounts = loose_free(host, held), resources_free(host, held)
        counted = recount(host, held) | {
            "loose_free": [free.get(name, 0) for name in shot.pools.profiles],
            "resource_free": [amounts.get(name, 0) for name in shot.pools.resources],
        }
        for name, wanted in counted.items():
            kept = halfway[name][row].tolist()
            assert (kept[: len(wanted)] if isinstance(wanted, list) else kept) == wanted, (host.name, name)


@settings(max_examples=150, deadline=None)
@given(BOOKINGS, st.data())
def test_what_is_foreseen_leaves_what_others_use(bookings, data):
    first = data.draw(st.integers(0, len(bookings)))
    shot = Snapshot.load(FLEET, bookings[:first])
    foreign = np.array(shot.table.columns["card_foreign_mib"])
    table = shot.table.fork()
    for each in bookings[first:]:
        row = shot.row(each.worker)
        table.write(row, shot.after(row, booked=[each], table=table, foreseen=True))

    assert np.array(table.columns["card_foreign_mib"]).tobytes() == foreign.tobytes()
    seen = [
        replace(host, gpus=tuple(_seen(gpu, used) for gpu, used in zip(host.gpus, observed, strict=False)))
        for host, observed in zip(shot.workers, table.columns["card_observed_mib"].tolist(), strict=True)
    ]
    known = [name for name in STATE_NAMES if not name.startswith(("loose", "resource"))]
    mine, theirs = state(table), state(Snapshot.load(seen, bookings).table)
    for name in known:
        assert mine[name].tobytes() == theirs[name].tobytes(), name


def _seen(gpu, used):
    return gpu if gpu.observed_used_mib is None else replace(gpu, observed_used_mib=used)


@settings(max_examples=150, deadline=None)
@given(BOOKINGS, st.data())
def test_many_rows_at_once_are_counted_as_one_by_one(bookings, data):
    shot = Snapshot.load(FLEET, bookings)
    claims = Claims(shot, bookings)
    gone = data.draw(st.lists(st.sampled_from(range(len(bookings))), unique=True)) if bookings else []
    rows = np.arange(len(FLEET))
    claim = np.array(gone, np.intp)

    together = claims.without(rows, claims.rows[claim], claim)

    one_by_one = shot.table.fork()
    for number in gone:
        row = int(claims.rows[number])
        one_by_one.write(row, shot.after(row, released=[bookings[number]], table=one_by_one, foreseen=True))
    assert_same(together, state(one_by_one))
