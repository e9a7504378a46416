"""MIG devices of this machine."""

import pytest

from bayplan.framework.errors import InputError
from bayplan.manifests.inventory.local import DriverError
from bayplan.runtimes.processes.devices import visible
from bayplan.runtimes.processes.mig_devices import MigDevice, MigDevices, mig_devices

SMALL = [MigDevice(card, "1g.5gb", start, f"MIG-{card}-{start}") for card in (0, 1) for start in (0, 1)]


def wanted(profile="1g.5gb", index=None, start=None):
    return {"runtime": "cuda", "index": index, "mig": {"profile": profile, "start": start}}


CASES = {
    "any card": (wanted(), "MIG-0-0"),
    "a card": (wanted(index=1), "MIG-1-0"),
    "a place": (wanted(index=1, start=1), "MIG-1-1"),
}


@pytest.mark.parametrize(("device", "uuid"), CASES.values(), ids=CASES)
def test_an_instance_is_found(device, uuid):
    assert MigDevices(SMALL).of("p", [device]) == [uuid]


def test_pods_get_devices_of_their_own_and_keep_them():
    devices = MigDevices(SMALL)

    assert devices.of("p", [wanted(), wanted()]) == ["MIG-0-0", "MIG-0-1"]
    assert devices.of("q", [wanted()]) == ["MIG-1-0"]
    assert devices.of("p", [wanted(), wanted()]) == ["MIG-0-0", "MIG-0-1"]
    devices.give_back("p")
    assert devices.of("r", [wanted()]) == ["MIG-0-0"]


@pytest.mark.parametrize("device", [wanted("2g.10gb"), wanted(index=7), wanted(start=5)])
def test_what_is_not_there_is_refused(device):
    with pytest.raises(InputError, match="has no free MIG instance"):
        MigDevices(SMALL).of("p", [device])


class Recording:
    def ask(self, question, *cards):
        if question == "DeviceGetCount":
            return 2
        if cards == (1,):
            return [{"name": "NVIDIA A100 MIG 1g.5GB", "uuid": "MIG-a", "start": 3}]
        raise DriverError(question)


def test_the_driver_is_asked():
    assert mig_devices(Recording()).of("p", [wanted(index=1, start=3)]) == ["MIG-a"]


def test_instances_are_seen_by_their_uuids():
    whole = {"runtime": "cuda", "index": 3}

    assert visible([whole, wanted(index=0)], ["MIG-a"]) == {"CUDA_VISIBLE_DEVICES": "3,MIG-a"}
