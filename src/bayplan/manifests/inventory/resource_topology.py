"""A NodeResourceTopology object: the NUMA zones of a worker, joined to it by name."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bayplan.cluster.frozen_map import FrozenMap
from bayplan.cluster.numa import NO_DISTANCES, Numa, NumaZone, shared_zone
from bayplan.cluster.quantities import parse_count, shown
from bayplan.framework.errors import InputError
from bayplan.manifests.inventory.amounts import bytes_offered, cards_counted, cpu_offered
from bayplan.manifests.inventory.entry import mapping, mappings, name_of, text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.cluster.booking import Booking
    from bayplan.cluster.gpu import Gpu
    from bayplan.cluster.worker import Worker
    from bayplan.manifests.inventory.entry import Entry
    from bayplan.manifests.inventory.notes import Notes

_ZONE_NAME = re.compile(r"(?:.*[^0-9])?([0-9]{1,6})")
_CARDS = {"nvidia.com/gpu": "cuda", "amd.com/gpu": "rocm"}
_HOST = {"cpu": cpu_offered, "memory": bytes_offered}
_AVAILABLE = ("available", "allocatable", "capacity")
_ALLOCATABLE = ("allocatable", "capacity", "available")
ZONE_TYPES = ("", "Node")
"""Zones of other types, such as sockets, are passed over."""
MANAGER = ("topologyManagerPolicy", "topologyManagerScope")
"""The attributes that are read."""
_POLICIES = {
    "none": "none",
    "besteffort": "best-effort",
    "restricted": "restricted",
    "singlenumanode": "single-numa-node",
}
"""Words of the older API, each of which names policy and scope: `SingleNUMANodePodLevel`."""


@dataclass(frozen=True, slots=True)
class Zones:
    """The zones of a worker as they are now and as they would be if nothing were held, and the number of cards of each
    runtime that a zone has and can give now.
    """

    entry: Entry
    worker: str
    numa: Numa
    whole: dict[int, NumaZone]
    cards: dict[str, dict[int, tuple[int, int]]]


def read_zones(entry: Entry) -> Zones:
    """The zones of the worker that has the name of the object."""
    policy, scope = _manager(entry.data)
    zones: list[NumaZone] = []
    whole: dict[int, NumaZone] = {}
    cards: dict[str, dict[int, tuple[int, int]]] = {runtime: {} for runtime in _CARDS.values()}
    for number, data in enumerate(mappings(entry.data, "zones", "zones")):
        place = f"zones[{number}]"
        if text(data, "type", f"{place}.type") in ZONE_TYPES:
            zone, most, held = _zone(data, place)
            zones.append(zone)
            whole[zone.id] = most
            for runtime, counts in held.items():
                cards[runtime][zone.id] = counts
    name = name_of(mapping(entry.data, "metadata", "metadata"), "metadata.name")
    return Zones(entry, name, Numa(policy, scope, tuple(zones)), whole, cards)


def joined(worker: Worker, zones: Zones, notes: Notes) -> Worker:
    """The worker with its zones, and each card in one of them."""
    gpus = worker.gpus
    for runtime, counts in zones.cards.items():
        if counts:
            gpus = _spread_over(gpus, runtime, counts, zones, notes)
    return replace(worker, gpus=gpus, numa=zones.numa)


def given_back(worker: Worker, zones: Zones, bookings: Iterable[Booking]) -> Worker:
    """The worker with what these bookings hold added to its zones: the object reports only what is still available.

    No zone gets more than it would have if nothing were held.
    """
    zone_of_card = {gpu.card: gpu.numa for gpu in worker.gpus}
    held: dict[int, tuple[int, int]] = {}
    for booking in bookings:
        zone = shared_zone(zone_of_card[part.card] for part in booking.cards if part.card in zone_of_card)
        if zone is not None:
            cpu, ram = held.get(zone, (0, 0))
            held[zone] = cpu + booking.cpu_milli, ram + booking.ram_mib
    if not held:
        return worker
    numa = replace(zones.numa, zones=tuple(_with(zone, zones.whole, held) for zone in zones.numa.zones))
    return replace(worker, numa=numa)


def _with(zone: NumaZone, whole: dict[int, NumaZone], held: dict[int, tuple[int, int]]) -> NumaZone:
    cpu, ram = held.get(zone.id, (0, 0))
    most = whole[zone.id]
    return replace(
        zone, cpu_milli=_grown(zone.cpu_milli, cpu, most.cpu_milli), ram_mib=_grown(zone.ram_mib, ram, most.ram_mib)
    )


def _grown(amount: int | None, by: int, most: int | None) -> int | None:
    return None if amount is None or most is None else max(amount, min(amount + by, most))


def _spread_over(
    gpus: tuple[Gpu, ...], runtime: str, counts: dict[int, tuple[int, int]], zones: Zones, notes: Notes
) -> tuple[Gpu, ...]:
    """Assign cards to zones in order: the object states their number and names none."""
    _note_held(counts, zones, notes)
    order = [zone for zone, (count, _) in sorted(counts.items()) for _ in range(count)]
    own = sorted(gpu.index for gpu in gpus if gpu.runtime == runtime)
    if len(order) != len(own):
        both = f"the zones have {len(order)} {runtime} cards and the worker {len(own)}"
        message = f"{both}; which card is in which zone stays unknown"
        notes.add(zones.entry, "zones", message, alike="other number of cards")
        return gpus
    zone_of = dict(zip(own, order, strict=True))
    return tuple(replace(gpu, numa=zone_of[gpu.index]) if gpu.runtime == runtime else gpu for gpu in gpus)


def _note_held(counts: dict[int, tuple[int, int]], zones: Zones, notes: Notes) -> None:
    held = sum(count - free for count, free in counts.values())
    if held > 0:
        step = "add them, or the cards count as free"
        message = f"{held} cards are in use, but the Pods that use them are not in the inventory; {step}"
        notes.add(zones.entry, "zones", message, alike="cards in use")


def _manager(data: dict[str, Any]) -> tuple[str, str]:
    """Policy and scope of the kubelet's topology manager, from attributes or from the single word of the older API."""
    policy, scope = "none", "container"
    policies = data.get("topologyPolicies")
    if isinstance(policies, list) and policies and isinstance(policies[0], str):
        word = policies[0].casefold()
        scope = "pod" if word.endswith("podlevel") else "container"
        policy = _POLICIES.get(word.removesuffix("podlevel").removesuffix("containerlevel"), "none")
    for number, attribute in enumerate(mappings(data, "attributes", "attributes")):
        value = text(attribute, "value", f"attributes[{number}].value")
        if attribute.get("name") == MANAGER[0]:
            policy = value or policy
        elif attribute.get("name") == MANAGER[1]:
            scope = value or scope
    return policy, scope


def _zone(data: dict[str, Any], place: str) -> tuple[NumaZone, NumaZone, dict[str, tuple[int, int]]]:
    """A zone as it is, as it would be if nothing were held, and its cards."""
    free: dict[str, int] = {}
    most: dict[str, int] = {}
    cards = {}
    for number, resource in enumerate(mappings(data, "resources", f"{place}.resources")):
        name, where = resource.get("name"), f"{place}.resources[{number}]"
        if isinstance(name, str) and name in _HOST:
            free[name] = _HOST[name](*_amount(resource, where, _AVAILABLE))
            most[name] = _HOST[name](*_amount(resource, where, _ALLOCATABLE))
        elif isinstance(name, str) and name in _CARDS:
            count = cards_counted(*_amount(resource, where, _ALLOCATABLE))
            cards[_CARDS[name]] = (count, cards_counted(*_amount(resource, where, _AVAILABLE)))
    zone_id = _zone_id(data.get("name"), f"{place}.name")
    now, whole = (NumaZone(zone_id, amounts.get("cpu"), amounts.get("memory")) for amounts in (free, most))
    return replace(now, distances=_distances(data, place)), whole, cards


def _amount(resource: dict[str, Any], place: str, keys: tuple[str, ...]) -> tuple[object, str]:
    """The first of these that is told, or as much as is known of it."""
    for key in keys:
        if resource.get(key) is not None:
            return resource[key], f"{place}.{key}"
    return 0, f"{place}.{keys[0]}"


def _distances(data: dict[str, Any], place: str) -> FrozenMap[int, int]:
    costs = mappings(data, "costs", f"{place}.costs")
    if not costs:
        return NO_DISTANCES
    return FrozenMap(
        {
            _zone_id(cost.get("name"), f"{place}.costs[{number}].name"): parse_count(
                cost.get("value"), f"{place}.costs[{number}].value"
            )
            for number, cost in enumerate(costs)
        }
    )


def _zone_id(name: object, place: str) -> int:
    found = _ZONE_NAME.fullmatch(name[-64:]) if isinstance(name, str) else None
    if found is None:
        raise InputError(f"{shown(name)} is no zone", place=place, next="write its number, as in node-0")
    return int(found[1])
