"""HAMi's annotations, newer and older, and what cannot be read of them."""

import pytest

from bayplan.cluster.device_offer import Sharing
from bayplan.framework.errors import InputError
from bayplan.manifests.inventory.hami import REGISTER, Given, HamiRequest, given_devices
from unit.manifests.inventory.builders import node, pod, read, read_one

JSON = (
    '[{"id": "GPU-a", "count": 10, "devmem": 32768, "devcore": 100, "type": "NVIDIA-V100", "health": true},'
    ' {"id": "GPU-b", "index": 1, "count": 5, "devmem": 16384, "type": "NVIDIA-T4", "numa": 1}]'
)
OLD = "GPU-a,10,32768,100,NVIDIA-V100,0,true:GPU-b,5,16384,100,NVIDIA-T4,1,false:"
NEWER = "GPU-b,5,16384,100,NVIDIA-T4,1,false,1,hami-core:GPU-a,10,32768,100,NVIDIA-V100,-1,true,0,hami-core:"


def cards(worker):
    return {gpu.uuid: (gpu.index, gpu.places, gpu.memory_mib, gpu.model, gpu.healthy) for gpu in worker.gpus}


@pytest.mark.parametrize("register", [JSON, OLD, NEWER], ids=["JSON", "older text", "with index and mode"])
def test_registered_cards(register):
    worker = read_one(node(annotations={REGISTER: register}, gpu="15"))

    assert cards(worker) == {
        "GPU-a": (0, 10, 32768, "NVIDIA-V100", True),
        "GPU-b": (1, 5, 16384, "NVIDIA-T4", False),
    }


UNREADABLE = ["[", "[1]", '{"id": 1}', "GPU-a,10", '[{"count": 0}]', '[{"id": "a"}, {"id": "b"}]', "[" * 999]


@pytest.mark.parametrize("register", UNREADABLE)
def test_places_that_the_plugin_offers_are_no_substitute_for_cards_that_cannot_be_read(register):
    inventory = read(node(annotations={REGISTER: register}, gpu="20"))

    (worker,) = inventory.cluster.workers
    assert (worker.gpus, worker.sharing) == ((), Sharing.HAMI)
    assert "ignored" in inventory.warnings[0]


def test_cards_beside_one_that_cannot_be_read_are_kept():
    inventory = read(node(annotations={REGISTER: f"{OLD.partition(':')[0]}:GPU-z,10,409...:"}, gpu="20"))

    (worker,) = inventory.cluster.workers
    assert [gpu.uuid for gpu in worker.gpus] == ["GPU-a"]
    assert "is no card; it is ignored" in inventory.warnings[0]


GIVEN = {
    "one card":        ("GPU-a,NVIDIA,3000,30:;", [Given("GPU-a", 3000, 300)]),
    "two containers":  ("GPU-a,NVIDIA,30,0:;GPU-b,NVIDIA,1,100:;", [Given("GPU-a", 30, 0), Given("GPU-b", 1, 1000)]),
    "a MIG instance":  ("GPU-a[0-1],NVIDIA,4864,14:;", [Given("GPU-a", 4864, 140)]),
    "nothing":         (";", []),
}  # fmt: skip


@pytest.mark.parametrize(("value", "expected"), GIVEN.values(), ids=GIVEN)
def test_given_devices(value, expected):
    assert list(given_devices(value, "p")) == expected


@pytest.mark.parametrize("value", ["GPU-a", "GPU-a,NVIDIA,x,1:;", ",NVIDIA,1,1:;", "GPU-a,NVIDIA,1,101:;"])
def test_given_devices_that_cannot_be_read(value):
    with pytest.raises(InputError):
        given_devices(value, "p")


def test_a_share_of_a_card():
    assert HamiRequest(memory_percent=50).of_card(32767) == 16383
    assert HamiRequest(memory_mib=3000).of_card(None) == 3000
    assert not HamiRequest(compute_milli=500).shares


def test_two_containers_on_one_card_are_one_booking_with_two_places():
    allocated = {"hami.io/vgpu-devices-allocated": "GPU-a,NVIDIA,3000,30:;GPU-a,NVIDIA,1000,20:;"}

    inventory = read(node(annotations={REGISTER: JSON}, gpu="15"), pod(annotations=allocated, gpu="1"))

    (part,) = inventory.cluster.bookings[0].cards
    assert (part.index, part.memory_mib, part.compute_milli, part.places) == (0, 4000, 500, 2)


def test_containers_that_do_not_say_where_they_are_may_share_a_card():
    """Each is dealt the card with the fewest places in use; the first of these two cards is in ill health."""
    ill = '{"id": "a", "count": 4, "devmem": 9000}'
    register = f'[{ill}, {{"id": "b", "index": 1, "count": 4, "devmem": 8000, "health": true}}]'
    asking = {"resources": {"limits": {"nvidia.com/gpumem": "3000", "nvidia.com/gpucores": "30"}}}
    bound = pod()
    bound["spec"]["containers"] = [asking, asking]

    inventory = read(node(annotations={REGISTER: register}, gpu="8"), bound)

    (part,) = inventory.cluster.bookings[0].cards
    assert (part.index, part.memory_mib, part.compute_milli, part.places) == (1, 6000, 600, 2)


def test_a_bound_pod_with_more_than_100_percent_has_the_card():
    asked = {"nvidia.com/gpumem-percentage": "150", "nvidia.com/gpucores": "200"}

    inventory = read(node(annotations={REGISTER: JSON}, gpu="15"), pod(**asked))

    (part,) = inventory.cluster.bookings[0].cards
    assert (part.memory_mib, part.compute_milli) == (32768, 1000)
