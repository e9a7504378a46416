"""The columnar snapshot: what is free, in which order, and what would be free."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bayplan.cluster.booking import CardBooking
from bayplan.cluster.columns import MASK_CARDS, STATUSES, UNKNOWN
from bayplan.cluster.frozen_map import FrozenMap
from bayplan.cluster.gpu import Gpu
from bayplan.cluster.links import Wiring, wire
from bayplan.cluster.mig import MigInstance
from bayplan.cluster.numa import Numa
from bayplan.cluster.taint import Taint, TaintEffect
from bayplan.cluster.topology import LEVELS, Level
from bayplan.cluster.utilization import Utilization
from bayplan.cluster.worker import WorkerStatus
from bayplan.framework.errors import InputError
from fleets import CUT, a100, a100s, after, booking, instance, share, whole, worker
from unit.cluster.snapshots import snapshot, state

KEPT_BACK = {"reserved_gpu_memory_mib": 960}


TO_BE_CUT = replace(CUT, enabled=False)


SMALL = (instance("1g.5gb", 0),)


FREE_MIB = {
    "idle":                          (a100(), {}, (), 40960),
    "a share is booked":             (a100(), {}, (share(0, 10_000),), 30_960),
    "compute alone takes no memory": (a100(), {}, (share(0, None, 500),), 40_960),
    "held whole":                    (a100(), {}, (whole(0),), 0),
    "kept back":                     (a100(), KEPT_BACK, (share(0, 10_000),), 30_000),
    "foreign use":                   (a100(observed_used_mib=12_000), {}, (), 28_960),
    "observed is what is booked":    (a100(observed_used_mib=10_000), {}, (share(0, 10_000),), 30_960),
    "observed above what is booked": (a100(observed_used_mib=15_000), {}, (share(0, 10_000),), 25_960),
    "everything at once":            (a100(observed_used_mib=15_000), KEPT_BACK, (share(0, 10_000),), 25_000),
    "headroom beside a share":       (a100(), {}, (share(0, 10_000, headroom_mib=800),), 30_160),
    "headroom is observed, too":     (a100(observed_used_mib=12_000), {}, (share(0, 10_000, headroom_mib=9),), 28_960),
    "more is used than there is":    (a100(observed_used_mib=50_000), {}, (), 0),
    "nobody knows the size":         (Gpu(0), {}, (), UNKNOWN),
    "unknown stays so when booked":  (Gpu(0), {}, (share(0, 10_000),), UNKNOWN),
    "unknown stays so when whole":   (Gpu(0, observed_used_mib=7), {}, (whole(0),), UNKNOWN),
    "a quarter is cut off":          (a100(mig=CUT), {}, (instance("2g.10gb", 0),), 30_720),
    "a cut card with nothing on it": (a100(mig=CUT), {}, (), 40_960),
}  # fmt: skip


@pytest.mark.parametrize(("gpu", "offer", "held", "free_mib"), FREE_MIB.values(), ids=FREE_MIB)
def test_free_memory_is_capacity_less_booked_less_foreign_less_reserved(gpu, offer, held, free_mib):
    shot = snapshot(worker("a", [gpu], **offer), bookings=[booking("m", *held)] if held else ())

    assert state(shot)["card_free_mib"] == [free_mib]


CARDS = {  # wholly free, shareable, cuttable
    "idle":                             (a100(), (), (True, True, True)),
    "a share":                          (a100(), (share(0, 1),), (False, True, False)),
    "a share of compute":               (a100(), (share(0, None, 1),), (False, True, False)),
    "whole":                            (a100(), (whole(0),), (False, False, False)),
    "unhealthy":                        (a100(healthy=False), (), (False, False, False)),
    "a twentieth used by others":       (a100(observed_used_mib=2048), (), (True, True, True)),
    "more than a twentieth":            (a100(observed_used_mib=2049), (), (False, True, False)),
    "cut":                              (a100(mig=CUT), (), (False, False, True)),
    "cut and used":                     (a100(mig=CUT, observed_used_mib=9000), (), (False, False, True)),
    "an instance on a cut card":        (a100(mig=CUT), SMALL, (False, False, True)),
    "an instance on a card to be cut":  (a100(mig=TO_BE_CUT), SMALL, (False, False, True)),
    "cut by us and used by others":     (a100(mig=TO_BE_CUT, observed_used_mib=12_000), SMALL, (False, False, True)),
    "nobody knows the size":            (Gpu(0), (), (True, True, True)),
    "used, and nobody knows the size":  (Gpu(0, observed_used_mib=1), (), (False, True, False)),
}  # fmt: skip


@pytest.mark.parametrize(("gpu", "held", "may"), CARDS.values(), ids=CARDS)
def test_what_a_card_may_give(gpu, held, may):
    found = state(snapshot(worker("a", [gpu]), bookings=[booking("m", *held)] if held else ()))

    assert (found["card_wholly_free"], found["card_shareable"], found["card_cuttable"]) == tuple([m] for m in may)


def test_compute_is_free_in_thousandths_and_none_of_a_card_held_whole():
    held = (share(0, 5, 300), whole(1))
    found = state(snapshot(worker("a", 3), bookings=[booking("m", *held), booking("n", share(0, None, 250))]))

    assert found["card_free_milli"] == [450, 0, 1000]
    assert found["card_bookings"] == [2, 1, 0]
    assert found["gpu_booked_mib"] == 5 + 40960


HOSTS = {
    "nothing held":          ({}, (0, 0), (16_000, 65_536)),
    "held":                  ({}, (500, 1024), (15_500, 64_512)),
    "kept back":             ({"reserved_ram_mib": 536}, (0, 1000), (16_000, 64_000)),
    "more than there is":    ({}, (20_000, 70_000), (0, 0)),
    "nobody knows":          ({"cpu_milli": None, "ram_mib": None}, (500, 1024), (UNKNOWN, UNKNOWN)),
    "there is none":         ({"cpu_milli": 0, "ram_mib": 0}, (0, 0), (0, 0)),
}  # fmt: skip


@pytest.mark.parametrize(("offer", "held", "free"), HOSTS.values(), ids=HOSTS)
def test_cpu_and_ram(offer, held, free):
    shot = snapshot(worker(**offer), bookings=[booking(cpu_milli=held[0], ram_mib=held[1])])

    found = state(shot)
    assert (found["cpu_free_milli"], found["ram_free_mib"]) == free


@pytest.mark.parametrize("count", [0, 1, 8, 16, 17, 72])
def test_any_number_of_cards_is_counted_and_up_to_sixteen_are_a_mask(count):
    held = [booking("m", whole(count - 1))] if count > 1 else []
    found = state(snapshot(worker("a", count), worker("b", 3), bookings=held))
    free = [index for index in range(count) if not (held and index == count - 1)]

    assert found["wholly_free_count"] == len(free)
    assert [index for index, is_free in enumerate(found["card_wholly_free"]) if is_free] == free
    assert found["wholly_free"] == (sum(1 << index for index in free) if count <= MASK_CARDS else 0)


def test_absent_cards_give_nothing():
    found = state(snapshot(worker("a", 1), worker("b", 3)))

    assert (found["card_count"], found["card_memory_mib"]) == (1, [40960, 0, 0])
    assert (found["card_free_mib"], found["card_free_milli"]) == ([40960, 0, 0], [1000, 0, 0])
    assert found["card_shareable"] == found["card_cuttable"] == found["card_wholly_free"] == [True, False, False]
    assert found["card_model_id"][1:] == found["card_runtime_id"][1:] == [UNKNOWN, UNKNOWN]


def test_cards_of_two_vendors_live_on_one_worker():
    cards = [a100(0), Gpu(0, runtime="rocm", model="MI300X", memory_mib=196_608)]
    shot = snapshot(worker("a", cards), bookings=[booking("m", share(0, 1000, runtime="rocm"))])

    found, pools = state(shot), shot.pools
    assert found["card_free_mib"] == [40_960, 195_608]
    assert [pools.models[number] for number in found["card_model_id"]] == ["A100-SXM4-40GB", "MI300X"]
    assert [pools.runtimes[number] for number in found["card_runtime_id"]] == ["cuda", "rocm"]


def test_instances_are_a_mask_of_memory_slices():
    held = [booking("m", instance("2g.10gb", 4), instance("1g.5gb", 0))]
    found = state(snapshot(worker("a", [a100(mig=CUT)]), bookings=held))

    assert found["card_mig_taken"] == [0b0011_0001]
    assert found["card_bookings"] == [1]


ODD_INSTANCES = {
    "no start":             (a100(mig=CUT), CardBooking(0, mig=MigInstance("1g.5gb"))),
    "an illegal start":     (a100(mig=CUT), instance("2g.10gb", 1)),
    "no such profile":      (a100(mig=CUT), instance("1g.7gb", 0)),
    "a card without MIG":   (a100(), instance("1g.5gb", 0)),
    "an unknown geometry":  (Gpu(0, mig=CUT), instance("1g.5gb", 0)),
}  # fmt: skip


@pytest.mark.parametrize(("gpu", "held"), ODD_INSTANCES.values(), ids=ODD_INSTANCES)
def test_an_instance_that_cannot_be_told_takes_the_card_so_that_nobody_is_promised_its_room(gpu, held):
    shot = snapshot(worker("a", [gpu]), bookings=[booking("m", held)])

    assert state(shot)["card_mig_taken"] == [255]
    assert after(shot, 0, released=[booking("m", held)])["card_mig_taken"] == [0]


def test_a_card_of_four_slices_is_never_booked_beyond_its_size():
    a30 = Gpu(0, model="A30", memory_mib=24_576, mig=CUT)
    held = [booking("m", instance("2g.12gb", 0)), booking("n", instance("9g.9gb", 0))]

    assert state(snapshot(worker("a", [a30]), bookings=held[:1]))["card_booked_mib"] == [12_288]
    assert state(snapshot(worker("a", [a30]), bookings=held))["card_booked_mib"] == [24_576]


def test_slices_of_no_known_card_are_counted_by_profile():
    offered = FrozenMap({"1g.5gb": 7, "2G.10GB": 3})
    loose = CardBooking(None, mig=MigInstance("2g.10gb"))
    shot = snapshot(worker("a", 0, mig_slices=offered), worker("b", 0), bookings=[booking("m", loose, loose)])

    free = dict(zip(shot.pools.profiles, state(shot)["loose_free"], strict=True))
    assert free == {"1g.5gb": 7, "2g.10gb": 1}
    assert state(shot, "b")["loose_free"] == [0, 0]


def test_overlapping_bookings_of_a_document_are_given_back_one_by_one():
    first, second = booking("m", instance("2g.10gb", 0)), booking("n", instance("1g.5gb", 1), replica=1)
    shot = snapshot(worker("a", [a100(mig=CUT)]), bookings=[first, second])

    assert after(shot, 0, released=[first])["card_mig_taken"] == [0b10]
    assert after(shot, 0, released=[first, second])["card_mig_taken"] == [0]


def test_a_booking_of_a_card_that_is_not_there_counts_only_its_cpu_and_ram():
    found = state(snapshot(worker("a", 1), bookings=[booking("m", whole(7), cpu_milli=1000)]))

    assert (found["bookings"], found["cpu_free_milli"], found["card_bookings"]) == (1, 15_000, [0])


def test_numbers_stand_for_distinct_values():
    links = wire(Wiring.NVSWITCH, a100s(2))
    taints = (Taint("gpu", TaintEffect.NO_SCHEDULE),)
    known = {
        "labels": FrozenMap({"zone": "x"}), "taints": taints, "links": links, "numa": Numa(),
        "utilization": Utilization(age_s=1.0), "services": ("vectors",), "cached_models": FrozenMap({"llama": 0.5}),
    }  # fmt: skip
    shot = snapshot(worker("a", **known), worker("b", **known), worker("c"))
    pools = shot.pools

    a, b, c = state(shot), state(shot, "b"), state(shot, "c")
    assert pools.labels[a["labels_id"]] == {"zone": "x"}
    assert pools.taints[a["taints_id"]] == taints
    assert pools.links[a["links_id"]] == links
    assert pools.services[a["services_id"]] == ("vectors",)
    assert pools.cached_models[a["cached_models_id"]] == {"llama": 0.5}
    assert (c["links_id"], c["numa_id"], c["utilization_id"]) == (UNKNOWN, UNKNOWN, UNKNOWN)
    assert {name: a[name] for name in a if name.endswith("_id")} == {
        name: b[name] for name in b if name.endswith("_id")
    }
    assert (len(pools.labels), len(pools.links), len(pools.cards)) == (2, 1, 1)


def test_cards_that_differ_by_serial_number_or_use_alone_are_one_set():
    cards = [a100(0, uuid="GPU-1", observed_used_mib=7)], [a100(0, uuid="GPU-2")]
    shot = snapshot(worker("a", cards[0]), worker("b", cards[1]))

    assert state(shot)["cards_id"] == state(shot, "b")["cards_id"]
    assert (state(shot)["card_observed_mib"], state(shot, "b")["card_observed_mib"]) == ([7], [UNKNOWN])


def test_prices_and_the_like_are_unknown_or_what_they_are():
    cheap = worker("a", usd_per_hour=0.0, power_watts=800.0, carbon_g_per_kwh=300.0, spot=True)
    shot = snapshot(cheap, worker("b", status=WorkerStatus.DRAINING))
    names = ("usd_per_hour", "power_watts", "carbon_g_per_kwh", "spot")

    assert [state(shot)[name] for name in names] == [0.0, 800.0, 300.0, True]
    assert [state(shot, "b")[name] for name in names] == [UNKNOWN, UNKNOWN, UNKNOWN, False]
    assert [STATUSES[state(shot, name)["status"]] for name in "ab"] == ["ready", "draining"]


def test_an_amount_beyond_counting_is_an_input_error():
    with pytest.raises(InputError, match=r"ram_mib: a number is too large to count; write an amount below 2\^63"):
        snapshot(worker(ram_mib=2**63))
    with pytest.raises(InputError, match="worker a: the bookings of 'm' are too large to count"):
        snapshot(worker(), bookings=[booking(ram_mib=2**63)])


def test_an_empty_cluster_is_a_table_of_no_rows():
    shot = snapshot()

    assert shot.table.size == 0
    assert all(len(shot.domains[level]) == 0 for level in LEVELS)


PATHS = [
    ("r", "z2"),
    ("r", "z1", "b", "k2"),
    ("r", "z1", "b", "k1"),
    (),
    ("r", "z1", None, "k1"),
    ("q", "z1", "b", "k1"),
]


def test_every_domain_is_a_slice():
    shot = snapshot(*(worker(f"w{n}", path=PATHS[n % len(PATHS)]) for n in range(60)))

    for level in LEVELS:
        domains = shot.domains[level]
        for number, name in enumerate(domains.names):
            inside = [w.topology.domain(level) == name for w in shot.workers]
            rows = domains.rows(number)
            assert [row for row, here in enumerate(inside) if here] == list(range(rows.start, rows.stop))
            assert (shot.table.columns[level.replace("-", "_") + "_id"][rows] == number).all()
    assert set(shot.domains[Level.RACK].names) == {
        ("q", "z1", "b", "k1"), ("r", "z1", "b", "k1"), ("r", "z1", "b", "k2"), ("r", "z1", None, "k1")
    }  # fmt: skip


def test_a_column_is_summed_over_domains_and_workers_without_a_domain_count_nowhere():
    shot = snapshot(*(worker(f"w{n}", 1 + n % 2, path=PATHS[n % len(PATHS)]) for n in range(12)))
    free = shot.table.columns["wholly_free_count"]

    zones = shot.domains[Level.ZONE]
    assert zones.sums(free).tolist() == [free[zones.rows(n)].sum() for n in range(len(zones))]
    assert sum(zones.sums(free)) < free.sum()


def test_equals_do_not_stand_in_the_order_of_their_names():
    names = [f"w{number:02}" for number in range(40)]
    rows = snapshot(*map(worker, names)).table.keys

    assert sorted(rows) == names
    assert rows != names
    assert rows == snapshot(*map(worker, reversed(names))).table.keys


def test_the_order_follows_the_uid_and_not_the_name():
    rows = [snapshot(worker(first, uid="1"), worker(second, uid="2")).table.keys for first, second in ("ab", "ba")]

    assert rows[0] == rows[1][::-1]
