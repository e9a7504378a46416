"""What a bound Pod says that it holds, as plain data: read here without the reader of inventories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from bayplan.library.invariants.stored_objects import annotation_of
from bayplan.manifests.marks import BOOKING, DEVICES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.cluster.booking import CardBooking


class UnreadableRecordError(Exception):
    """An annotation of ours is not what Bayplan writes; its name is the argument."""


@dataclass(frozen=True, slots=True)
class Device:
    """One card, or a part of one; what is None is not limited, so that all three None are a whole card."""

    runtime: str
    index: int | None
    memory_mib: int | None
    compute_percent: float | None
    headroom_mib: int
    mig: tuple[str, int | None] | None

    @property
    def is_whole(self) -> bool:
        return self.memory_mib is None and self.compute_percent is None and self.mig is None

    def __str__(self) -> str:
        parts = [f"{self.runtime}:{'?' if self.index is None else self.index}"]
        parts += [f"{self.memory_mib} MiB"] if self.memory_mib is not None else []
        parts += [f"{self.compute_percent:g} %"] if self.compute_percent is not None else []
        parts += [self.mig[0]] if self.mig else []
        return " ".join(parts)


@dataclass(frozen=True, slots=True)
class Booked:
    """What the scheduler wrote into the Pod when it bound it."""

    workload: str
    replica: int
    cpu_milli: int
    ram_mib: int
    devices: tuple[Device, ...]


def booked(pod: Mapping[str, Any]) -> Booked | None:
    """All that the Pod holds; None where another scheduler bound it."""
    text = annotation_of(pod, BOOKING)
    if not text:
        return None
    try:
        data = orjson.loads(text)
        cards = tuple(_device(each, "memory", "computePercent", "headroom") for each in data.get("gpus") or ())
        cpu_milli = round(1000 * (data.get("cpu") or 0))
        return Booked(str(data["workload"]), int(data["replica"]), cpu_milli, int(data.get("ram") or 0), cards)
    except (ValueError, TypeError, KeyError, AttributeError):
        raise UnreadableRecordError(BOOKING) from None


def named_devices(pod: Mapping[str, Any]) -> tuple[Device, ...]:
    """The devices that the Pod names, in either annotation; nothing where it names none."""
    record = booked(pod)
    return shown_devices(pod) if record is None else record.devices


def shown_devices(pod: Mapping[str, Any]) -> tuple[Device, ...]:
    """The devices in the annotation that is there for people and programs."""
    text = annotation_of(pod, DEVICES)
    if not text:
        return ()
    try:
        return tuple(_device(each, "memory_mib", "compute_percent", "headroom_mib") for each in orjson.loads(text))
    except (ValueError, TypeError, KeyError, AttributeError):
        raise UnreadableRecordError(DEVICES) from None


def device_of(part: CardBooking) -> Device:
    """What a ledger holds, in the same terms."""
    mig = None if part.mig is None else (part.mig.profile.lower(), part.mig.start)
    return Device(part.runtime, part.index, part.memory_mib, part.compute_percent, part.headroom_mib, mig)


def _device(item: Mapping[str, Any], memory: str, percent: str, headroom: str) -> Device:
    mig = item.get("mig")
    if isinstance(mig, str):
        mig = {"profile": mig}
    return Device(
        item.get("runtime") or "cuda",
        item.get("index") if mig else item["index"],
        item.get(memory),
        item.get(percent),
        item.get(headroom) or 0,
        None if mig is None else (mig["profile"].lower(), mig.get("start")),
    )
