"""The cards and MIG slices of a Kubernetes Node: how many, of which model, how large."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from bayplan.cluster.catalogue import matches
from bayplan.cluster.frozen_map import FrozenMap
from bayplan.cluster.gpu import Gpu
from bayplan.cluster.links import Wiring, wire
from bayplan.cluster.worker import NO_SLICES
from bayplan.manifests.inventory.amounts import bytes_offered, cards_counted, mib_offered
from bayplan.manifests.inventory.node_text import label, resource
from bayplan.manifests.native.worker import parse_mig_config

if TYPE_CHECKING:
    from bayplan.cluster.links import LinkMatrix
    from bayplan.manifests.inventory.node_text import NodeText

NVIDIA = "nvidia.com/gpu"
NVIDIA_SHARED = "nvidia.com/gpu.shared"
PRODUCT = "nvidia.com/gpu.product"
MIG_RESOURCE = "nvidia.com/mig-"

OTHER_RESOURCES = {
    "amd.com/gpu": "rocm",
    "huawei.com/Ascend310": "cann",
    "huawei.com/Ascend310P": "cann",
    "huawei.com/Ascend910": "cann",
    "huawei.com/Ascend910B": "cann",
    "mthreads.com/gpu": "musa",
    "cambricon.com/mlu": "neuware",
    "hygon.com/dcu": "dtk",
    "iluvatar.com/gpu": "corex",
    "metax-tech.com/gpu": "maca",
    "gpu.intel.com/i915": "xpu",
    "gpu.intel.com/xe": "xpu",
    "habana.ai/gaudi": "hpu",
}
"""Resources of device plugins that count whole cards, and the runtime of these cards."""

MODEL_LABELS = {"amd.com/gpu": "amd.com/gpu.product-name"}
MEMORY_LABELS = {"amd.com/gpu": "amd.com/gpu.vram"}
LABELS = (
    *(PRODUCT, "nvidia.com/gpu.count", "nvidia.com/gpu.memory", "nvidia.com/gpu.replicas", "nvidia.com/mig.strategy"),
    *("neuronetes.io/gpu-type", "neuronetes.io/gpu-memory", "neuronetes.io/gpu-count"),
    *("neuronetes.io/gpu-topology", "neuronetes.io/mig-config"),
    *MODEL_LABELS.values(),
    *MEMORY_LABELS.values(),
)
"""Every key that is read here, as a label or as an annotation."""

_WIRINGS = {"nvlink": Wiring.NVSWITCH, "pcie": Wiring.PCIE}


@dataclass(frozen=True, slots=True)
class CardGroup:
    """Cards that nothing tells apart but their index."""

    runtime: str
    count: int
    model: str | None = None
    memory_mib: int | None = None


def card_groups(node: NodeText) -> tuple[CardGroup, ...]:
    """The cards that Kubernetes may give away whole; whatever is cut into slices is not among them."""
    nvidia = _nvidia_group(node)
    others = [_other_group(node, key, OTHER_RESOURCES[key]) for key in node.offered if key in OTHER_RESOURCES]
    return tuple(group for group in (nvidia, *others) if group is not None and group.count)


def wiring_of(node: NodeText) -> Wiring | None:
    """One NVLink island, plain PCIe, or unknown, as `neuronetes.io/gpu-topology` says."""
    written = node.written("neuronetes.io/gpu-topology")
    if written is None:
        return None
    value, place = written
    wiring = _WIRINGS.get(value.casefold())
    if wiring is None:
        node.remark(place, f"{value[:48]!r} is neither nvlink nor pcie; the links stay unknown")
    return wiring


@lru_cache(maxsize=4096)
def wired_cards(groups: tuple[CardGroup, ...], wiring: Wiring | None) -> tuple[tuple[Gpu, ...], LinkMatrix | None]:
    """The cards of these groups and their links; equal workers share both."""
    cards: list[Gpu] = []
    counted: dict[str, int] = {}
    for group in groups:
        start = counted.get(group.runtime, 0)
        counted[group.runtime] = start + group.count
        cards += [
            Gpu(index, group.runtime, model=group.model, memory_mib=group.memory_mib)
            for index in range(start, start + group.count)
        ]
    return tuple(cards), wire(wiring, cards) if wiring and cards else None


def slices_of(node: NodeText) -> FrozenMap[str, int]:
    """MIG instances that exist, counted over the whole node, whichever card they are on."""
    found = {
        key.removeprefix(MIG_RESOURCE).lower(): cards_counted(value, resource(node.offered_place, key))
        for key, value in node.offered.items()
        if key.startswith(MIG_RESOURCE)
    }
    if profile := _single_profile(node):
        key = NVIDIA if NVIDIA in node.offered else NVIDIA_SHARED
        found[profile] = cards_counted(node.offered.get(key, 0), resource(node.offered_place, key))
    if not found and (written := node.written("neuronetes.io/mig-config")):
        found = node.attempt(written[1], _mig_config, written[0]) or {}
    return FrozenMap({profile: count for profile, count in found.items() if count}) if found else NO_SLICES


def _nvidia_group(node: NodeText) -> CardGroup | None:
    count = _nvidia_count(node)
    if not count:
        return None
    return CardGroup("cuda", count, _nvidia_model(node), _nvidia_memory(node))


def _nvidia_count(node: NodeText) -> int | None:
    """Cards, not replicas of cards: time slicing and MPS offer each card several times."""
    if _single_profile(node):
        return None
    key = NVIDIA if NVIDIA in node.offered else NVIDIA_SHARED
    value = node.offered.get(key)
    if value is None:
        return _label_count(node, "neuronetes.io/gpu-count")
    offered = cards_counted(value, resource(node.offered_place, key))
    replicas = _label_count(node, "nvidia.com/gpu.replicas") or 1
    cards = offered // replicas
    if replicas > 1:
        message = f"each card is offered {replicas} times; {cards} cards are counted, and shares of them go by memory"
        node.remark(label("nvidia.com/gpu.replicas"), message, "replicas")
    _note_missing(node, cards)
    return cards


def _note_missing(node: NodeText, cards: int) -> None:
    known = _label_count(node, "nvidia.com/gpu.count")
    if known and known > cards and node.labels.get("nvidia.com/mig.strategy", "none") == "none":
        message = f"the node has {known} cards and offers {cards}; those that it does not offer are left out"
        node.remark(label("nvidia.com/gpu.count"), message, "missing")


def _nvidia_model(node: NodeText) -> str | None:
    """What a person wrote, unless what was discovered says the same and more."""
    written = node.written("neuronetes.io/gpu-type")
    product = node.labels.get(PRODUCT, "").removesuffix("-SHARED") or None
    if written is None:
        return product
    return product if product and matches(written[0], product) else written[0]


def _nvidia_memory(node: NodeText) -> int | None:
    """The smaller one, where a person and the driver disagree."""
    found = []
    if value := node.labels.get("nvidia.com/gpu.memory"):
        found.append(node.attempt(label("nvidia.com/gpu.memory"), mib_offered, value))
    if written := node.written("neuronetes.io/gpu-memory"):
        found.append(node.attempt(written[1], bytes_offered, written[0]))
    return min((size for size in found if size), default=None)


def _single_profile(node: NodeText) -> str | None:
    """The profile where every card of a node is cut alike and `nvidia.com/gpu` counts the slices."""
    head, mark, profile = node.labels.get(PRODUCT, "").removesuffix("-SHARED").rpartition("-MIG-")
    return profile.lower() if head and mark and profile else None


def _other_group(node: NodeText, key: str, runtime: str) -> CardGroup:
    count = cards_counted(node.offered[key], resource(node.offered_place, key))
    family = key.removeprefix("huawei.com/Ascend")
    model = f"Ascend {family}" if family != key else node.labels.get(MODEL_LABELS.get(key, "")) or None
    memory = None
    if value := node.labels.get(MEMORY_LABELS.get(key, "")):
        memory = node.attempt(label(MEMORY_LABELS[key]), bytes_offered, value)
    return CardGroup(runtime, count, model, memory)


def _label_count(node: NodeText, key: str) -> int | None:
    written = node.written(key)
    return node.attempt(written[1], cards_counted, written[0]) if written else None


def _mig_config(value: str, _place: str) -> dict[str, int]:
    return {profile.lower(): count for profile, count in parse_mig_config(value).items()}
