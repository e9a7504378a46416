"""What the labels, annotations and resources of a Node mean, computed once for all Nodes with the same values.

A fleet has thousands of Nodes and a handful of kinds of them. The values of all keys that matter here are the key of
a cache, so every Node after the first of its kind costs one look-up; keys that name a single Node are left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from bayplan.cluster.device_offer import GPU_RESOURCE, MigStrategy, Sharing
from bayplan.cluster.frozen_map import FrozenMap
from bayplan.cluster.links import wire
from bayplan.cluster.worker import NO_RATES, NO_SLICES
from bayplan.manifests.inventory import amd_labels
from bayplan.manifests.inventory.amounts import measure, money
from bayplan.manifests.inventory.card_group import CardGroup
from bayplan.manifests.inventory.labels import SPOT, is_spot
from bayplan.manifests.inventory.node_cards import (
    LABELS as CARD_LABELS,
    card_groups,
    slices_of,
    wired_cards,
    wiring_of,
)
from bayplan.manifests.inventory.node_text import NodeText
from bayplan.manifests.inventory.nvidia_cards import is_single
from bayplan.manifests.inventory.shared_cards import RENAMED, offered_devices, places_per_container, sharing_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.cluster.gpu import Gpu
    from bayplan.cluster.links import LinkMatrix, Wiring
    from bayplan.manifests.inventory.node_text import Remark

USD_PER_HOUR = "bayplan.io/usd-per-hour"
POWER_WATTS = "bayplan.io/power-watts"
CARBON = "bayplan.io/carbon-grams-per-kwh"
SERVICES = "bayplan.io/services"
CACHED_MODELS = "neuronetes.io/cached-models"

_KEYS = (*CARD_LABELS, *SPOT, USD_PER_HOUR, POWER_WATTS, CARBON, SERVICES, CACHED_MODELS)
_Values = tuple[str | None, ...]
_Resources = tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class NodeFacts:
    """What Nodes of one kind have in common."""

    wiring: Wiring | None
    gpus: tuple[Gpu, ...]
    links: LinkMatrix | None
    mig_slices: FrozenMap[str, int]
    mig_strategy: MigStrategy | None
    sharing: Sharing | None
    places_per_container: int | None
    gpu_resource: str
    spot: bool
    usd_per_hour: float | None
    power_watts: float | None
    carbon_g_per_kwh: float | None
    cached_models: FrozenMap[str, float | None]
    services: tuple[str, ...]
    remarks: tuple[Remark, ...]


def facts_of(node: NodeText) -> NodeFacts:
    """The facts of a Node, without measurements per card from its annotations."""
    said = {**amd_labels.old_labels(node.labels), **node.labels} if _has_amd(node) else node.labels
    labels = tuple(map(said.get, _KEYS))
    annotations = tuple(map(node.annotations.get, _KEYS))
    devices = tuple([item for item in node.offered.items() if "/" in item[0]])
    try:
        return _facts(labels, annotations, devices, node.offered_place)
    except TypeError:  # a resource whose amount cannot be hashed is no number either: the reader will say so
        return _facts.__wrapped__(labels, annotations, devices, node.offered_place)


def with_hami(node: NodeText, cards: tuple[Gpu, ...]) -> NodeFacts:
    """The facts of a Node whose NVIDIA cards HAMi has registered: what the device plugin offers does not count."""
    plain = NodeText(
        node.labels,
        node.annotations,
        {name: amount for name, amount in node.offered.items() if name not in (GPU_RESOURCE, RENAMED)},
        node.offered_place,
    )
    others = facts_of(plain)
    of_nvidia = NodeText(node.labels, node.annotations, {}, node.offered_place)
    groups = (CardGroup("cuda", len(cards), cards[0].model),) if len({card.model for card in cards}) == 1 else ()
    wiring = wiring_of(of_nvidia, groups)
    gpus = (*cards, *(gpu for gpu in others.gpus if gpu.runtime != "cuda"))
    return replace(
        others,
        wiring=wiring,
        gpus=gpus,
        links=wire(wiring, gpus) if wiring else None,
        mig_slices=NO_SLICES,
        mig_strategy=None,
        sharing=Sharing.HAMI,
        places_per_container=None,
        gpu_resource=GPU_RESOURCE,
        remarks=(*others.remarks, *of_nvidia.remarks),
    )


def _has_amd(node: NodeText) -> bool:
    return amd_labels.RESOURCE in node.offered


@lru_cache(maxsize=8192)
def _facts(labels: _Values, annotations: _Values, devices: _Resources, offered_place: str) -> NodeFacts:
    node = NodeText(_said(labels), _said(annotations), dict(devices), offered_place)
    groups = card_groups(node)
    wiring = wiring_of(node, groups)
    gpus, links = wired_cards(groups, wiring)
    offered = offered_devices(node)
    cached = _names(node, CACHED_MODELS)
    return NodeFacts(
        wiring,
        gpus,
        links,
        slices_of(node),
        MigStrategy.SINGLE if is_single(node) else None,
        sharing_of(node),
        places_per_container(node),
        offered[0] if offered else GPU_RESOURCE,
        is_spot(node.labels),
        _measured(node, USD_PER_HOUR, money),
        _measured(node, POWER_WATTS, measure),
        _measured(node, CARBON, measure),
        FrozenMap(dict.fromkeys(cached)) if cached else NO_RATES,
        _names(node, SERVICES),
        tuple(node.remarks),
    )


def _said(values: _Values) -> dict[str, str]:
    return {key: value for key, value in zip(_KEYS, values, strict=True) if value is not None}


def _measured(node: NodeText, key: str, read: Callable[[str, str], float]) -> float | None:
    written = node.written(key)
    return node.attempt(written[1], read, written[0]) if written else None


def _names(node: NodeText, key: str) -> tuple[str, ...]:
    written = node.written(key)
    if written is None:
        return ()
    return tuple(dict.fromkeys(name for part in written[0].split(",") if (name := part.strip())))
