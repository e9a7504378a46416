"""I13: the ledger is the sum of what is bound; nothing is lost on the way, and nothing is counted twice."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from bayplan.cluster.invariants import no_drift
from bayplan.library.invariants.pod_amounts import CPU, MEMORY, asked_by
from bayplan.library.invariants.pod_records import UnreadableRecordError, booked, device_of, shown_devices
from bayplan.library.invariants.stored_objects import UNREADABLE, annotation_of, name_of
from bayplan.library.invariants.verdict import judged, not_judged, told
from bayplan.manifests.marks import DEVICES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from bayplan.cluster.ledger import Ledger
    from bayplan.library.invariants.pod_records import Device
    from bayplan.library.invariants.stored_objects import Object, StoredObjects
    from bayplan.library.invariants.verdict import Verdict


class _Held(NamedTuple):
    """What is held on a worker, or by one Pod."""

    holders: int = 0
    cpu_milli: int = 0
    ram_mib: int = 0
    devices: tuple[Device, ...] = ()


def ledger_is_sum(objects: StoredObjects) -> Verdict:
    """The columns of the ledger against its bookings, and its bookings against the Pods, each counted on its own."""
    if objects.ledger is None or objects.inventory is None:
        return not_judged(UNREADABLE)
    return judged([*told(no_drift(objects.ledger)), *_drift(objects, objects.ledger)])


def _drift(objects: StoredObjects, ledger: Ledger) -> Iterator[str]:
    """On workers that are Nodes; where a Cluster object lists bookings, these come on top of the Pods."""
    listed = {each.get("worker") for cluster in objects.of("Cluster") for each in cluster.get("bookings") or ()}
    for name in objects.nodes:
        if name not in listed:
            yield from _drift_on(name, objects.holding_on(name), ledger)


def _drift_on(worker: str, pods: Sequence[Object], ledger: Ledger) -> Iterator[str]:
    held: list[_Held] = []
    for pod in pods:
        try:
            held.append(_held_by(pod))
            yield from _two_records(pod)
        except UnreadableRecordError as unreadable:
            yield f"{name_of(pod)}: its annotation {unreadable} cannot be read"
            return
    bound, kept = _sum(held), _of_ledger(ledger, worker)
    words = ("holders", "thousandths of a core", "MiB of RAM")
    for word, wanted, found in zip(words, bound[:3], kept[:3], strict=True):
        if wanted != found:
            yield f"worker {worker}: the ledger has {found} {word}, bound Pods make {wanted}"
    for device, times in (Counter(bound.devices) - Counter(kept.devices)).items():
        yield f"worker {worker}: {device} is held {times} times more by Pods than the ledger has it"


def _held_by(pod: Object) -> _Held:
    """By the scheduler's own record, else by what the containers ask for and the devices that are named."""
    if record := booked(pod):
        return _Held(1, record.cpu_milli, record.ram_mib, record.devices)
    asked = asked_by(pod)
    return _Held(1, asked[CPU], asked[MEMORY], shown_devices(pod))


def _two_records(pod: Object) -> Iterator[str]:
    """What people are shown is what the ledger counts."""
    record = booked(pod)
    if record and annotation_of(pod, DEVICES) and not _agree(record.devices, shown_devices(pod)):
        counted, shown = (", ".join(map(str, each)) for each in (record.devices, shown_devices(pod)))
        yield f"{name_of(pod)}: is booked with {counted or 'no devices'}, but shows {shown or 'none'}"


def _agree(counted: tuple[Device, ...], shown: tuple[Device, ...]) -> bool:
    """A card that is held whole is shown with all its memory."""
    whole = {(each.runtime, each.index) for each in counted if each.is_whole}
    plain = (replace(each, memory_mib=None) if (each.runtime, each.index) in whole else each for each in shown)
    return Counter(counted) == Counter(plain)


def _of_ledger(ledger: Ledger, worker: str) -> _Held:
    bookings = [entry.booking for entry in ledger.held_on(worker) if not entry.reserved]
    return _sum(
        _Held(1, each.cpu_milli, each.ram_mib, tuple(device_of(part) for part in each.cards)) for each in bookings
    )


def _sum(held: Iterable[_Held]) -> _Held:
    each = list(held)
    return _Held(
        sum(one.holders for one in each),
        sum(one.cpu_milli for one in each),
        sum(one.ram_mib for one in each),
        tuple(device for one in each for device in one.devices),
    )
