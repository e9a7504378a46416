"""A Kubernetes Node as a worker.

What the API server checks (metadata, spec, status) must be right, or the Node is refused. Labels and annotations may
be written by anyone: what cannot be read there is ignored with a warning, and unknown stays unknown.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from bayplan.cluster.byte_resources import is_in_bytes
from bayplan.cluster.frozen_map import EMPTY, NO_AMOUNTS, FrozenMap
from bayplan.cluster.links import wire
from bayplan.cluster.quantities import shown
from bayplan.cluster.taint import Taint, TaintEffect
from bayplan.cluster.worker import Worker, WorkerStatus
from bayplan.framework.errors import InputError
from bayplan.manifests.inventory.amounts import amount_offered, bytes_offered, cards_counted, cpu_offered
from bayplan.manifests.inventory.described_node import described_worker
from bayplan.manifests.inventory.entry import flag, mapping, mappings, name_of, texts
from bayplan.manifests.inventory.hami import registered_cards
from bayplan.manifests.inventory.labels import topology_of
from bayplan.manifests.inventory.node_cards import is_card
from bayplan.manifests.inventory.node_facts import facts_of, with_hami
from bayplan.manifests.inventory.node_text import NodeText, annotation, resource
from bayplan.manifests.inventory.profiler import profile_of, utilization_of, with_profile
from bayplan.manifests.inventory.shared_cards import COUNT
from bayplan.manifests.marks import WORKER

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.manifests.inventory.entry import Entry
    from bayplan.manifests.inventory.notes import Notes

_TAINT_EFFECTS = {effect.value: effect for effect in TaintEffect}
_TAINTS = "spec.taints"
_UNSCHEDULABLE = "node.kubernetes.io/unschedulable"


def read_node(entry: Entry, notes: Notes) -> Worker:
    """The worker that a Node describes; a description of our own counts before all labels."""
    metadata = mapping(entry.data, "metadata", "metadata")
    spec = mapping(entry.data, "spec", "spec")
    status = mapping(entry.data, "status", "status")
    node = _node_text(metadata, status)
    if text := node.annotations.get(WORKER):
        described = notes.attempt(entry, annotation(WORKER), lambda *_: _described(metadata, spec, status, node), text)
        if described is not None:
            return described
    facts, utilization = facts_of(node), None
    if (registered := registered_cards(node)) is not None:
        facts = with_hami(node, registered)
    gpus, links = facts.gpus, facts.links
    if profile := profile_of(node):
        gpus = with_profile(node, profile, gpus)
        links = wire(facts.wiring, gpus) if facts.wiring and gpus else None
        utilization = utilization_of(profile, gpus)
    _compare(node, mapping(status, "capacity", "status.capacity"))
    for remark in (*facts.remarks, *node.remarks):
        notes.add(entry, *remark)
    return Worker(
        name_of(metadata, "metadata.name"),
        status=_status(spec, status),
        labels=FrozenMap(node.labels) if node.labels else EMPTY,
        taints=_taints(spec) if spec.get("taints") else (),
        topology=topology_of(node.labels),
        cpu_milli=_offered(node, "cpu", cpu_offered),
        ram_mib=_offered(node, "memory", bytes_offered),
        gpus=gpus,
        links=links,
        mig_slices=facts.mig_slices,
        mig_strategy=facts.mig_strategy,
        sharing=facts.sharing,
        places_per_container=facts.places_per_container,
        gpu_resource=facts.gpu_resource,
        usd_per_hour=facts.usd_per_hour,
        spot=facts.spot,
        power_watts=facts.power_watts,
        carbon_g_per_kwh=facts.carbon_g_per_kwh,
        cached_models=facts.cached_models,
        services=facts.services,
        utilization=utilization,
        resources=_resources(node),
    )


def _described(metadata: dict[str, Any], spec: dict[str, Any], status: dict[str, Any], node: NodeText) -> Worker:
    """The worker of the annotation, with what was measured since."""
    name, taints = name_of(metadata, "metadata.name"), _taints(spec) if spec.get("taints") else ()
    worker = described_worker(node.annotations[WORKER], name, _status(spec, status), node.labels, taints)
    if (profile := profile_of(node)) is None:
        return worker
    gpus = with_profile(node, profile, worker.gpus)
    same = [(gpu.runtime, gpu.index) for gpu in gpus] == [(gpu.runtime, gpu.index) for gpu in worker.gpus]
    known = gpus if same else worker.gpus  # a profile of other cards is not about this worker
    return replace(worker, gpus=known, utilization=utilization_of(profile, known))


def _compare(node: NodeText, capacity: dict[str, Any]) -> None:
    """Warn of devices that the node has but does not offer: the kubelet withdraws unhealthy devices."""
    for name, value in capacity.items():
        if is_card(name) and value != node.offered.get(name) and COUNT not in node.labels:
            has = node.attempt(resource("status.capacity", name), cards_counted, value) or 0
            offers = cards_counted(node.offered.get(name, 0), resource(node.offered_place, name))
            if has > offers:
                message = f"the node has {has:,} {name} and offers {offers:,}; the rest is left out"
                node.remark(resource("status.capacity", name), message, "not allocatable")


def _resources(node: NodeText) -> FrozenMap[str, int]:
    """Extended resources (names with `/`) other than cards and MIG slices; storage and huge pages in MiB."""
    found = {}
    for name, value in node.offered.items():
        if "/" in name and not is_card(name):
            found[name] = amount_offered(value, resource(node.offered_place, name))
        elif is_in_bytes(name):
            found[name] = bytes_offered(value, resource(node.offered_place, name))
    return FrozenMap(found) if found else NO_AMOUNTS


def _node_text(metadata: dict[str, Any], status: dict[str, Any]) -> NodeText:
    offered, place = mapping(status, "allocatable", "status.allocatable"), "status.allocatable"
    if not offered:
        offered, place = mapping(status, "capacity", "status.capacity"), "status.capacity"
    labels = texts(metadata, "labels", "metadata.labels")
    return NodeText(labels, texts(metadata, "annotations", "metadata.annotations"), offered, place)


def _status(spec: dict[str, Any], status: dict[str, Any]) -> WorkerStatus:
    """Ready only where the kubelet says so: a Node that says nothing is not ready."""
    for condition in mappings(status, "conditions", "status.conditions"):
        if condition.get("type") == "Ready" and condition.get("status") == "True":
            cordoned = flag(spec, "unschedulable", "spec.unschedulable")
            return WorkerStatus.CORDONED if cordoned else WorkerStatus.READY
    return WorkerStatus.NOT_READY


def _taints(spec: dict[str, Any]) -> tuple[Taint, ...]:
    """All taints except that of a cordoned Node: the status of the worker says that already."""
    listed = [(each.get("key"), each.get("value"), each.get("effect")) for each in mappings(spec, "taints", _TAINTS)]
    try:
        return _read_taints(tuple(listed))
    except TypeError:  # what cannot be hashed is no text either: the reader will say so
        return _read_taints.__wrapped__(tuple(listed))


@lru_cache(maxsize=4096)
def _read_taints(listed: tuple[tuple[object, object, object], ...]) -> tuple[Taint, ...]:
    taints = []
    for number, (key, value, effect) in enumerate(listed):
        place = f"{_TAINTS}[{number}]"
        if not isinstance(key, str) or not key:
            raise InputError(f"{shown(key)} is no key", place=f"{place}.key", next="write a text")
        if not isinstance(value, str | None):
            raise InputError(f"{shown(value)} is no text", place=f"{place}.value", next="write it in quotes")
        known = _TAINT_EFFECTS.get(effect) if isinstance(effect, str) else None
        if known is None:
            message, words = f"{shown(effect)} is no effect of a taint", ", ".join(_TAINT_EFFECTS)
            raise InputError(message, place=f"{place}.effect", next=f"write {words}")
        if key != _UNSCHEDULABLE:
            taints.append(Taint(key, known, value or ""))
    return tuple(taints)


def _offered(node: NodeText, key: str, read: Callable[[object, str], int]) -> int | None:
    value = node.offered.get(key)
    return None if value is None else read(value, resource(node.offered_place, key))
