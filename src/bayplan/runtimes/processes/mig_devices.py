"""The MIG devices of this machine, and which Pod has which: placement names a profile, the driver wants a UUID."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayplan.framework.errors import InputError
from bayplan.manifests.inventory.local import DriverError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bayplan.manifests.inventory.local import Driver


@dataclass(frozen=True, slots=True)
class MigDevice:
    """One instance of a card."""

    card: int
    profile: str
    start: int
    uuid: str


class MigDevices:
    """Gives each Pod devices of its own; one that is restarted gets the same."""

    def __init__(self, devices: Iterable[MigDevice]) -> None:
        self._devices = tuple(devices)
        self._taken: dict[str, list[MigDevice]] = {}

    def of(self, pod: str, wanted: list[dict[str, Any]]) -> list[str]:
        """The UUIDs of the instances that a Pod holds, in their order; InputError where this machine has none left."""
        kept = self._taken.get(pod)
        if kept is None:
            kept = []
            for each in wanted:
                kept.append(self._free(each, kept))
            self._taken[pod] = kept
        return [each.uuid for each in kept]

    def give_back(self, pod: str) -> None:
        """A Pod is gone."""
        self._taken.pop(pod, None)

    def _free(self, wanted: Mapping[str, Any], chosen: list[MigDevice]) -> MigDevice:
        mig: Mapping[str, Any] = wanted["mig"]
        used = {each for listed in self._taken.values() for each in listed} | set(chosen)
        for device in self._devices:
            fits = device.profile == mig.get("profile") and wanted.get("index") in (None, device.card)
            if fits and mig.get("start") in (None, device.start) and device not in used:
                return device
        where = "" if wanted.get("index") is None else f" on card {wanted['index']}"
        message = f"this machine has no free MIG instance {mig.get('profile')}{where}"
        raise InputError(message, place="MIG", next="make it with nvidia-smi mig -cgi, then restart the worker")


def mig_devices(driver: Driver) -> MigDevices:
    """What the driver knows."""
    found = []
    for card in range(_answer(driver, "DeviceGetCount") or 0):
        for each in _answer(driver, "MigDevices", card) or ():
            profile = str(each["name"]).rpartition(" ")[2].lower()
            found.append(MigDevice(card, profile, each["start"], each["uuid"]))
    return MigDevices(found)


def _answer(driver: Driver, question: str, *cards: int) -> Any:
    try:
        return driver.ask(question, *cards)
    except DriverError:
        return None
