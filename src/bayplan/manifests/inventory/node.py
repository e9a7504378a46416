"""A Kubernetes Node as a worker.

What the API server checks (metadata, spec, status) must be right, or the Node is refused. Labels and annotations are
anybody's to write: what cannot be read there is ignored with a warning, and unknown stays unknown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.cluster.frozen_map import EMPTY, FrozenMap
from bayplan.cluster.quantities import parse_money, parse_number, shown
from bayplan.cluster.taint import Taint, TaintEffect
from bayplan.cluster.worker import NO_RATES, Worker, WorkerStatus
from bayplan.framework.errors import InputError
from bayplan.manifests.inventory.amounts import bytes_offered, cpu_offered
from bayplan.manifests.inventory.entry import flag, mappings, name_of, text
from bayplan.manifests.inventory.labels import is_spot, topology_of
from bayplan.manifests.inventory.node_cards import card_groups, cards_of, links_of, slices_of
from bayplan.manifests.inventory.node_text import node_text, resource
from bayplan.manifests.inventory.profiler import profile_of, utilization_of, with_profile

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.manifests.inventory.entry import Entry
    from bayplan.manifests.inventory.node_text import NodeText
    from bayplan.manifests.inventory.notes import Notes

USD_PER_HOUR = "bayplan.io/usd-per-hour"
POWER_WATTS = "bayplan.io/power-watts"
CARBON = "bayplan.io/carbon-grams-per-kwh"
SERVICES = "bayplan.io/services"
CACHED_MODELS = "neuronetes.io/cached-models"

_TAINT_EFFECTS = {effect.value: effect for effect in TaintEffect}
_UNSCHEDULABLE = "node.kubernetes.io/unschedulable"


def read_node(entry: Entry, notes: Notes) -> Worker:
    """The worker that a Node describes."""
    node = node_text(entry, notes)
    gpus = cards_of(card_groups(node))
    profile = profile_of(node)
    if profile is not None:
        gpus = with_profile(node, profile, gpus)
    return Worker(
        node.name,
        status=_status(node),
        labels=FrozenMap(node.labels) if node.labels else EMPTY,
        taints=_taints(node),
        topology=topology_of(node.labels),
        cpu_milli=_offered(node, "cpu", cpu_offered),
        ram_mib=_offered(node, "memory", bytes_offered),
        gpus=gpus,
        links=links_of(node, gpus),
        mig_slices=slices_of(node),
        usd_per_hour=_measure(node, USD_PER_HOUR, parse_money),
        spot=is_spot(node.labels),
        power_watts=_measure(node, POWER_WATTS, parse_number),
        carbon_g_per_kwh=_measure(node, CARBON, parse_number),
        cached_models=_cached_models(node),
        services=_names(node, SERVICES),
        utilization=None if profile is None else utilization_of(profile, gpus),
    )


def _status(node: NodeText) -> WorkerStatus:
    """Ready only where the kubelet says so: a Node that says nothing is not ready."""
    conditions = mappings(node.status, "conditions", "status.conditions")
    ready = any(each.get("type") == "Ready" and each.get("status") == "True" for each in conditions)
    if not ready:
        return WorkerStatus.NOT_READY
    return WorkerStatus.CORDONED if flag(node.spec, "unschedulable", "spec.unschedulable") else WorkerStatus.READY


def _taints(node: NodeText) -> tuple[Taint, ...]:
    """All but the one that Kubernetes adds to a cordoned Node: its status says that already."""
    if not node.spec.get("taints"):
        return ()
    taints = []
    for number, data in enumerate(mappings(node.spec, "taints", "spec.taints")):
        place = f"spec.taints[{number}]"
        key = name_of(data, f"{place}.key", "key")
        if key != _UNSCHEDULABLE:
            taints.append(Taint(key, _effect(data, f"{place}.effect"), text(data, "value", f"{place}.value")))
    return tuple(taints)


def _effect(data: dict[str, Any], place: str) -> TaintEffect:
    effect = _TAINT_EFFECTS.get(text(data, "effect", place))
    if effect is None:
        known = ", ".join(_TAINT_EFFECTS)
        raise InputError(f"{shown(data.get('effect'))} is no effect of a taint", place=place, next=f"write {known}")
    return effect


def _offered(node: NodeText, key: str, read: Callable[[object, str], int]) -> int | None:
    value = node.offered.get(key)
    return None if value is None else read(value, resource(node.offered_place, key))


def _measure(node: NodeText, key: str, read: Callable[[object, str], float]) -> float | None:
    written = node.written(key)
    return node.notes.attempt(node.entry, written[1], read, written[0]) if written else None


def _cached_models(node: NodeText) -> FrozenMap[str, float | None]:
    """Which models lie on the node; how often they are hit, nobody tells."""
    names = _names(node, CACHED_MODELS)
    return FrozenMap(dict.fromkeys(names)) if names else NO_RATES


def _names(node: NodeText, key: str) -> tuple[str, ...]:
    written = node.written(key)
    if written is None:
        return ()
    return tuple(dict.fromkeys(name for part in written[0].split(",") if (name := part.strip())))
