"""The cards and MIG slices of a Kubernetes Node, of all makers."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from bayplan.cluster.device_offer import GPU_RESOURCE, MIG_RESOURCE
from bayplan.cluster.frozen_map import FrozenMap
from bayplan.cluster.gpu import Gpu
from bayplan.cluster.links import Wiring, wire
from bayplan.cluster.worker import NO_SLICES
from bayplan.manifests.inventory import amd_labels, hami, nvidia_cards, shared_cards
from bayplan.manifests.inventory.amounts import cards_counted
from bayplan.manifests.inventory.board_links import assumed_wiring
from bayplan.manifests.inventory.card_group import CardGroup
from bayplan.manifests.inventory.node_text import resource
from bayplan.manifests.inventory.nvidia_cards import assumed_memory, board_count, nvidia_group, single_slices
from bayplan.manifests.native.worker import parse_mig_config

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.cluster.links import LinkMatrix
    from bayplan.manifests.inventory.node_text import NodeText

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

SHARE_RESOURCES = ("alnair/vgpu-memory", "alnair/vgpu-compute", hami.MEMORY, hami.MEMORY_PERCENT, hami.CORES)
"""Resources that are shares of cards; shares are counted on the cards themselves."""


def is_card(name: str) -> bool:
    """Whether a resource stands for cards or parts of cards; all others are counted by name."""
    own = (GPU_RESOURCE, shared_cards.RENAMED, *SHARE_RESOURCES)
    return name in own or name in OTHER_RESOURCES or name.startswith(MIG_RESOURCE)


_TOPOLOGY = "neuronetes.io/gpu-topology"
_MIG_CONFIG = "neuronetes.io/mig-config"
LABELS = (*nvidia_cards.LABELS, *shared_cards.LABELS, *amd_labels.LABELS, _TOPOLOGY, _MIG_CONFIG)
"""Every key that is read here, as a label or as an annotation."""

_WIRINGS = {"nvlink": Wiring.NVSWITCH, "pcie": Wiring.PCIE}


def card_groups(node: NodeText) -> tuple[CardGroup, ...]:
    """The allocatable cards of a Node, without cards that are cut into slices."""
    nvidia = nvidia_group(node)
    others = [_other_group(node, key, OTHER_RESOURCES[key]) for key in node.offered if key in OTHER_RESOURCES]
    return tuple(group for group in (nvidia, *others) if group is not None and group.count)


def wiring_of(node: NodeText, cards: Sequence[CardGroup]) -> Wiring | None:
    """What `neuronetes.io/gpu-topology` says, else what is assumed of boards; None where the links are unknown."""
    if written := node.written(_TOPOLOGY):
        value, place = written
        if wiring := _WIRINGS.get(value.casefold()):
            return wiring
        node.remark(place, f"{value[:48]!r} is neither nvlink nor pcie; it is ignored")
    if len(cards) != 1 or cards[0].runtime != "cuda":
        return None
    return assumed_wiring(node, cards[0].model, board_count(node) or cards[0].count)


@lru_cache(maxsize=4096)
def wired_cards(groups: tuple[CardGroup, ...], wiring: Wiring | None) -> tuple[tuple[Gpu, ...], LinkMatrix | None]:
    """The cards of these groups and their links; equal workers share both."""
    cards: list[Gpu] = []
    counted: dict[str, int] = {}
    for group in groups:
        start = counted.get(group.runtime, 0)
        counted[group.runtime] = start + group.count
        cards += [
            Gpu(index, group.runtime, model=group.model, memory_mib=group.memory_mib, places=group.places)
            for index in range(start, start + group.count)
        ]
    return tuple(cards), wire(wiring, cards) if wiring and cards else None


def slices_of(node: NodeText) -> FrozenMap[str, int]:
    """The existing MIG instances by profile, counted over all cards of the node."""
    found = {
        key.removeprefix(MIG_RESOURCE).lower(): cards_counted(value, resource(node.offered_place, key))
        for key, value in node.offered.items()
        if key.startswith(MIG_RESOURCE)
    }
    found |= single_slices(node)
    if not found and (written := node.written(_MIG_CONFIG)):
        found = node.attempt(written[1], _mig_config, written[0]) or {}
    return FrozenMap({profile: count for profile, count in found.items() if count}) if found else NO_SLICES


def _other_group(node: NodeText, key: str, runtime: str) -> CardGroup:
    count = cards_counted(node.offered[key], resource(node.offered_place, key))
    if key == amd_labels.RESOURCE:
        model, memory = amd_labels.amd_model(node), amd_labels.amd_memory(node)
        return CardGroup(runtime, count, model, memory or assumed_memory(node, model) if count else memory)
    family = key.removeprefix("huawei.com/Ascend")
    model, memory = nvidia_cards.written_model(node), nvidia_cards.written_memory(node)
    return CardGroup(runtime, count, model or (f"Ascend {family}" if family != key else None), memory)


def _mig_config(value: str, _place: str) -> dict[str, int]:
    return {profile.lower(): count for profile, count in parse_mig_config(value).items()}
