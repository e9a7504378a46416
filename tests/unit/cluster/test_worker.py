"""Workers: their cards, their uid, and what is refused."""

from __future__ import annotations

import pytest

from bayplan.cluster.frozen_map import FrozenMap
from bayplan.cluster.gpu import CardId, Gpu
from bayplan.cluster.links import Wiring, wire
from bayplan.cluster.worker import Worker, WorkerStatus, uid_of
from bayplan.framework.errors import InputError

MIXED = (Gpu(0, model="A100"), Gpu(0, runtime="rocm", model="MI300X"), Gpu(3, model="L4"))


def test_what_nobody_told_is_unknown_and_ready():
    worker = Worker("a")

    assert worker.status is WorkerStatus.READY
    assert (worker.cpu_milli, worker.ram_mib, worker.links, worker.usd_per_hour) == (None, None, None, None)
    assert (worker.reserved_ram_mib, worker.reserved_gpu_memory_mib, worker.spot) == (0, 0, False)


def test_a_uid_follows_the_name_and_nothing_else():
    assert Worker("a").uid == Worker("a", ram_mib=4).uid == uid_of("a")
    assert uid_of("a") != uid_of("b")
    assert Worker("a", uid="given").uid == "given"


def test_the_uid_of_a_name_never_changes():
    assert uid_of("worker-0") == "194f5429abae9412"


@pytest.mark.parametrize("name", ["ä-名", "\ud800"], ids=["other scripts", "a lone surrogate"])
def test_any_name_has_a_uid(name):
    assert len(Worker(name).uid) == 16


LOOK_UP = {
    "first": (CardId("cuda", 0), 0),
    "another vendor with the same index": (CardId("rocm", 0), 1),
    "a gap in the indices": (CardId("cuda", 3), 2),
    "none": (CardId("cuda", 1), None),
}


@pytest.mark.parametrize(("card", "position"), LOOK_UP.values(), ids=LOOK_UP)
def test_a_card_is_known_by_runtime_and_index(card, position):
    worker = Worker("a", gpus=MIXED)

    assert worker.position(card) == position
    assert worker.gpu(card) == (None if position is None else MIXED[position])


def test_cards_in_their_order():
    assert [str(card) for card in Worker("a", gpus=MIXED).cards] == ["cuda:0", "rocm:0", "cuda:3"]


def test_equal_workers_are_equal_and_hashable():
    one, other = (Worker("a", labels=FrozenMap({"zone": "b"}), gpus=MIXED) for _ in range(2))

    assert one == other
    assert hash(one) == hash(other)


def test_the_statuses_of_the_contract():
    assert [str(status) for status in WorkerStatus] == ["ready", "not-ready", "cordoned", "draining"]


REFUSED = {
    "no name": ({"name": ""}, "name"),
    "cpu": ({"cpu_milli": -1}, "cpu"),
    "ram": ({"ram_mib": -1}, "ram"),
    "reserved RAM": ({"reserved_ram_mib": -1}, "reserved.ram"),
    "reserved GPU memory": ({"reserved_gpu_memory_mib": -1}, "reserved.gpuMemory"),
    "price": ({"usd_per_hour": -0.01}, "usdPerHour"),
    "a price that is no number": ({"usd_per_hour": float("nan")}, "usdPerHour"),
    "an endless price": ({"usd_per_hour": float("inf")}, "usdPerHour"),
    "power": ({"power_watts": -1.0}, "powerWatts"),
    "carbon": ({"carbon_g_per_kwh": -1.0}, "carbonGramsPerKwh"),
    "slices": ({"mig_slices": FrozenMap({"1g.5gb": 7, "2g.10gb": -1})}, "migSlices.2g.10gb"),
    "a hit rate above one": ({"cached_models": FrozenMap({"m": None, "n": 1.5})}, "cachedModels.n"),
    "a negative hit rate": ({"cached_models": FrozenMap({"m": -0.5})}, "cachedModels.m"),
    "a card twice": ({"gpus": (Gpu(0), Gpu(1), Gpu(0))}, "gpus[2].index"),
    "links of other cards": ({"gpus": (Gpu(0), Gpu(1)), "links": wire(Wiring.PCIE, (Gpu(0), Gpu(2)))}, "links"),
    "links in another order": ({"gpus": (Gpu(0), Gpu(1)), "links": wire(Wiring.PCIE, (Gpu(1), Gpu(0)))}, "links"),
}


@pytest.mark.parametrize(("fields", "place"), REFUSED.values(), ids=REFUSED)
def test_a_worker_that_cannot_be_is_refused(fields, place):
    with pytest.raises(InputError) as caught:
        Worker(**{"name": "a", **fields})

    assert caught.value.place == place
    assert caught.value.next


@pytest.mark.parametrize("rate", [0.0, 1.0, None])
def test_hit_rates_go_from_nothing_to_all_or_are_unknown(rate):
    assert Worker("a", cached_models=FrozenMap({"m": rate})).cached_models["m"] == rate


def test_links_of_its_own_cards_are_taken():
    gpus = (Gpu(0), Gpu(1))

    assert Worker("a", gpus=gpus, links=wire(Wiring.NVSWITCH, gpus)).links.nvlink_neighbours == (0b10, 0b01)
