"""A NodeResourceTopology object: the NUMA zones of a worker, joined to it by name."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bayplan.cluster.frozen_map import FrozenMap
from bayplan.cluster.numa import NO_DISTANCES, Numa, NumaZone
from bayplan.cluster.quantities import parse_count, shown
from bayplan.framework.errors import InputError
from bayplan.manifests.inventory.amounts import bytes_offered, cards_counted, cpu_offered
from bayplan.manifests.inventory.entry import mapping, mappings, name_of, text

if TYPE_CHECKING:
    from bayplan.cluster.gpu import Gpu
    from bayplan.cluster.worker import Worker
    from bayplan.manifests.inventory.entry import Entry
    from bayplan.manifests.inventory.notes import Notes

_ZONE_NAME = re.compile(r"(?:.*[^0-9])?([0-9]{1,6})")
_CARDS = {"nvidia.com/gpu": "cuda", "amd.com/gpu": "rocm"}
_POLICIES = {
    "none": "none",
    "besteffort": "best-effort",
    "restricted": "restricted",
    "singlenumanode": "single-numa-node",
}
"""Words of the older API, which names policy and scope in one: `SingleNUMANodePodLevel`."""


@dataclass(frozen=True, slots=True)
class Zones:
    """What such an object says: the zones, and how many cards of a runtime each has and could give now."""

    entry: Entry
    worker: str
    numa: Numa
    cards: dict[str, dict[int, tuple[int, int]]]


def read_zones(entry: Entry) -> Zones:
    """The zones of the worker whose name the object has."""
    policy, scope = _manager(entry.data)
    zones: list[NumaZone] = []
    cards: dict[str, dict[int, tuple[int, int]]] = {runtime: {} for runtime in _CARDS.values()}
    for number, data in enumerate(mappings(entry.data, "zones", "zones")):
        place = f"zones[{number}]"
        if text(data, "type", f"{place}.type") in ("", "Node"):
            zone, held = _zone(data, place)
            zones.append(zone)
            for runtime, counts in held.items():
                cards[runtime][zone.id] = counts
    name = name_of(mapping(entry.data, "metadata", "metadata"), "metadata.name")
    return Zones(entry, name, Numa(policy, scope, tuple(zones)), cards)


def joined(worker: Worker, zones: Zones, notes: Notes) -> Worker:
    """The worker with its zones, and each card in one of them."""
    gpus = worker.gpus
    for runtime, counts in zones.cards.items():
        if counts:
            gpus = _spread_over(gpus, runtime, counts, zones, notes)
    return replace(worker, gpus=gpus, numa=zones.numa)


def _spread_over(
    gpus: tuple[Gpu, ...], runtime: str, counts: dict[int, tuple[int, int]], zones: Zones, notes: Notes
) -> tuple[Gpu, ...]:
    """Cards go to zones in the order of both: the object counts them and names none."""
    _note_held(counts, zones, notes)
    order = [zone for zone, (count, _) in sorted(counts.items()) for _ in range(count)]
    own = sorted(gpu.index for gpu in gpus if gpu.runtime == runtime)
    if len(order) != len(own):
        message = f"the zones have {len(order)} {runtime} cards and the worker {len(own)}; which is where stays unknown"
        notes.add(zones.entry, "zones", message, alike="other number of cards")
        return gpus
    zone_of = dict(zip(own, order, strict=True))
    return tuple(replace(gpu, numa=zone_of[gpu.index]) if gpu.runtime == runtime else gpu for gpu in gpus)


def _note_held(counts: dict[int, tuple[int, int]], zones: Zones, notes: Notes) -> None:
    held = sum(count - free for count, free in counts.values())
    if held > 0:
        message = f"{held} cards are in use, by whom is not told; hand in the Pods as well, or they count as free"
        notes.add(zones.entry, "zones", message, alike="cards in use")


def _manager(data: dict[str, Any]) -> tuple[str, str]:
    """Policy and scope of the kubelet's topology manager: attributes, or the single word of the older API."""
    policy, scope = "none", "container"
    policies = data.get("topologyPolicies")
    if isinstance(policies, list) and policies and isinstance(policies[0], str):
        word = policies[0].casefold()
        scope = "pod" if word.endswith("podlevel") else "container"
        policy = _POLICIES.get(word.removesuffix("podlevel").removesuffix("containerlevel"), "none")
    for number, attribute in enumerate(mappings(data, "attributes", "attributes")):
        value = text(attribute, "value", f"attributes[{number}].value")
        if attribute.get("name") == "topologyManagerPolicy":
            policy = value or policy
        elif attribute.get("name") == "topologyManagerScope":
            scope = value or scope
    return policy, scope


def _zone(data: dict[str, Any], place: str) -> tuple[NumaZone, dict[str, tuple[int, int]]]:
    free, cards = {}, {}
    for number, resource in enumerate(mappings(data, "resources", f"{place}.resources")):
        name, where = resource.get("name"), f"{place}.resources[{number}]"
        if name == "cpu":
            free["cpu"] = cpu_offered(*_available(resource, where))
        elif name == "memory":
            free["memory"] = bytes_offered(*_available(resource, where))
        elif isinstance(name, str) and name in _CARDS:
            count = cards_counted(resource.get("allocatable", resource.get("capacity", 0)), f"{where}.allocatable")
            cards[_CARDS[name]] = (count, cards_counted(*_available(resource, where)))
    zone_id = _zone_id(data.get("name"), f"{place}.name")
    return NumaZone(zone_id, free.get("cpu"), free.get("memory"), _distances(data, place)), cards


def _available(resource: dict[str, Any], place: str) -> tuple[object, str]:
    """What is free, or as much as is known of it."""
    for key in ("available", "allocatable", "capacity"):
        if resource.get(key) is not None:
            return resource[key], f"{place}.{key}"
    return 0, f"{place}.available"


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
