"""Clusters as documents of our own."""

from __future__ import annotations

import json

from bayplan.cluster.booking import Booking, Budget, CardBooking
from bayplan.cluster.cluster import Cluster
from bayplan.cluster.gpu import Gpu
from bayplan.cluster.links import LinkSpec, Wiring, wire, wire_listed
from bayplan.cluster.mig import MigInstance, MigState
from bayplan.cluster.numa import Numa, NumaZone
from bayplan.cluster.taint import Taint, TaintEffect
from bayplan.cluster.topology import TopologyPath
from bayplan.cluster.utilization import GpuUtilization, Utilization
from bayplan.cluster.worker import Worker, WorkerStatus
from bayplan.manifests.fields import read_whole
from bayplan.manifests.native.cluster import collect_cluster
from bayplan.manifests.native.cluster_writer import write_booking, write_cluster, write_worker
from bayplan.manifests.reader import Document


def again(cluster):
    data = json.loads(json.dumps(write_cluster(cluster)))
    found, warnings = read_whole(collect_cluster, Document(data, "again"), data)
    assert warnings == ()
    return found


def test_what_goes_without_saying_is_left_out():
    assert write_worker(Worker("a")) == {"name": "a", "status": "ready"}
    assert write_booking(Booking("w", 0, "a")) == {"workload": "w", "replica": 0, "worker": "a"}


def test_numbers_are_mib_and_cores():
    worker = Worker("a", cpu_milli=96_000, ram_mib=1024, gpus=(Gpu(0, memory_mib=40960),))

    assert write_worker(worker) == {
        "name": "a",
        "status": "ready",
        "cpu": 96,
        "ram": 1024,
        "gpus": [{"runtime": "cuda", "index": 0, "memory": 40960}],
    }
    assert write_worker(Worker("a", cpu_milli=1))["cpu"] == 0.001


def test_nothing_and_unknown_are_told_apart():
    worker = Worker("a", cpu_milli=0, usd_per_hour=0.0, gpus=(Gpu(0, observed_used_mib=0),))

    assert write_worker(worker)["cpu"] == 0
    assert again(Cluster((worker,))) == Cluster((worker,))


def test_a_hit_rate_that_is_not_known_is_null():
    assert write_worker(Worker("a", cached_models={"m": None}))["cachedModels"] == {"m": None}


def test_a_uid_is_written_where_it_is_not_the_name_s():
    assert write_worker(Worker("a", uid="u"))["uid"] == "u"


def test_links_are_written_in_a_short_form_where_there_is_one():
    cards = tuple(Gpu(index, model="V100", pcie_gen=3) for index in range(8))
    for wiring in Wiring:
        worker = Worker("a", gpus=cards, links=wire(wiring, cards))
        assert write_worker(worker)["links"] == wiring
        assert again(Cluster((worker,))) == Cluster((worker,))


def test_links_of_vendors_that_share_an_index():
    cards = (Gpu(0), Gpu(0, "rocm"), Gpu(1, "rocm"))
    specs = [LinkSpec(cards[1].card, cards[2].card, "xgmi", 50.0)]
    worker = Worker("a", gpus=cards, links=wire_listed(specs, cards))

    assert write_worker(worker)["links"][2] == ["rocm:0", "rocm:1", "xgmi", 50.0]
    assert again(Cluster((worker,))) == Cluster((worker,))


def test_everything_comes_back():
    cut = MigState(True, True, (MigInstance("3g.20gb", 4),))
    cards = (
        Gpu(0, "cuda", "GPU-1", "A100-SXM4-40GB", 40960, 1, 4, False, 7, cut),
        Gpu(1, "cuda", mig=MigState(enabled=False)),
    )
    worker = Worker(
        "a",
        WorkerStatus.CORDONED,
        {"k": "v"},
        (Taint("t", TaintEffect.NO_EXECUTE, "v"), Taint("u", TaintEffect.NO_SCHEDULE)),
        TopologyPath("r", "z", "b", "k", "n"),
        1500,
        1024,
        cards,
        wire(Wiring.NVLINK_PAIRS, cards),
        {"1g.5gb": 7},
        1.25,
        True,
        6500.5,
        0.1,
        {"m": 0.25, "n": None},
        ("s",),
        5,
        6,
        Numa("single-numa-node", "pod", (NumaZone(3, 100, 7, {3: 10, 5: 20}), NumaZone(5))),
        Utilization(1.5, 1.0, 2.0, 3.0, 4.0, (GpuUtilization(1, "cuda", 1.0, 2.0, 3.0, 4.0, 5.0, False, 12.5, "DLT"),)),
        "u",
    )
    booked = (CardBooking(0, "cuda", 1, 125), CardBooking(None, mig=MigInstance("1g.5gb")), CardBooking(1))
    cluster = Cluster((worker,), (Booking("w", 3, "a", 250, 9, booked, -2, "g"),), (Budget("w", 0),))

    assert again(cluster) == cluster
