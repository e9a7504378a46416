"""Model instances as GPUStack's API tells them."""

import pytest

from bayplan.cluster.booking import Booking, CardBooking
from bayplan.framework.errors import InputError
from unit.manifests.inventory.builders import read, read_fixtures

GIB = 2**30


def worker(name, count=2):
    devices = [{"index": index, "type": "cuda", "memory": {"total": 24 * GIB}} for index in range(count)]
    return {"name": name, "worker_uuid": "u", "state": "ready", "status": {"gpu_devices": devices}}


def instance(model="m", on="a", **fields):
    return {"name": f"{model}-x", "model_name": model, "worker_name": on, **fields}


def test_an_instance_of_full_size():
    inventory = read_fixtures("gpustack-workers.json", "gpustack-instances.json")

    assert inventory.warnings == ()
    assert inventory.cluster.bookings == (
        Booking("qwen2.5-7b-instruct", 0, "host01-4090", cards=(CardBooking(0, memory_mib=22108),)),
    )


def test_instances_of_one_model_are_its_replicas():
    bookings = read(worker("a"), instance("m"), instance("n"), instance("m")).cluster.bookings

    assert [(each.workload, each.replica) for each in bookings] == [("m", 0), ("n", 0), ("m", 1)]


def test_an_instance_over_several_workers_is_one_replica():
    claim = {"ram": GIB, "vram": {"1": 2 * GIB}}
    others = {"subordinate_workers": [{"worker_name": "b", "gpu_indexes": [0], "computed_resource_claim": claim}]}
    bookings = read(worker("a"), worker("b"), instance(gpu_indexes=[0, 1], distributed_servers=others)).cluster.bookings

    assert bookings == (
        Booking("m", 0, "a", cards=(CardBooking(0), CardBooking(1))),
        Booking("m", 0, "b", ram_mib=1024, cards=(CardBooking(0), CardBooking(1, memory_mib=2048))),
    )


def test_an_instance_that_waits_holds_nothing():
    assert read(worker("a"), instance(on=None)).cluster.bookings == ()


def test_unknown_workers_and_cards_are_told():
    inventory = read(worker("a"), instance(on="gone"), instance(gpu_indexes=[7, 1]))

    assert [[card.index for card in each.cards] for each in inventory.cluster.bookings] == [[1]]
    assert "has no worker 'gone'" in inventory.warnings[0]
    assert "no cuda card 7" in inventory.warnings[1]


HOSTILE = {
    "indexes in a text":   ({"gpu_indexes": "0,1"}, "gpu_indexes"),
    "negative index":      ({"gpu_indexes": [-1]}, "gpu_indexes[0]"),
    "claim is a list":     ({"computed_resource_claim": []}, "computed_resource_claim"),
    "vram is a list":      ({"computed_resource_claim": {"vram": [1]}}, "computed_resource_claim.vram"),
    "vram of no card":     ({"computed_resource_claim": {"vram": {"x": 1}}}, "computed_resource_claim.vram"),
    "negative vram":       ({"computed_resource_claim": {"vram": {"0": -1}}}, "computed_resource_claim.vram"),
    "10^30 of ram":        ({"computed_resource_claim": {"ram": 10**30}}, "computed_resource_claim.ram"),
    "model is a number":   ({"model_name": 4}, "model_name"),
    "servers are a text":  ({"distributed_servers": "b"}, "distributed_servers"),
    "a server is a text":  ({"distributed_servers": {"subordinate_workers": ["b"]}}, "subordinate_workers[0]"),
}  # fmt: skip


@pytest.mark.parametrize(("fields", "place"), HOSTILE.values(), ids=HOSTILE)
def test_refused_with_its_place(fields, place):
    with pytest.raises(InputError) as caught:
        read(worker("a"), instance(**fields))

    assert caught.value.place.startswith("cluster.json:")
    assert place in caught.value.place
    assert caught.value.next
