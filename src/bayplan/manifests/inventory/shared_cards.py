"""Cards that a Node offers several times: by time slicing or MPS, as NVIDIA's plugin and GKE label it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cluster.device_offer import GPU_RESOURCE, Sharing
from bayplan.manifests.inventory.amounts import cards_counted
from bayplan.manifests.inventory.node_text import label, resource

if TYPE_CHECKING:
    from bayplan.manifests.inventory.node_text import NodeText

RENAMED = "nvidia.com/gpu.shared"
SHARED_PRODUCT = "-SHARED"
REPLICAS = "nvidia.com/gpu.replicas"
STRATEGY = "nvidia.com/gpu.sharing-strategy"
GKE_CLIENTS = "cloud.google.com/gke-max-shared-clients-per-gpu"
GKE_STRATEGY = "cloud.google.com/gke-gpu-sharing-strategy"
COUNT = "nvidia.com/gpu.count"
KARPENTER_COUNT = "karpenter.k8s.aws/instance-gpu-count"
MIG_STRATEGY = "nvidia.com/mig.strategy"
LABELS = (REPLICAS, STRATEGY, GKE_CLIENTS, GKE_STRATEGY, COUNT, KARPENTER_COUNT, MIG_STRATEGY)

_MPS = "mps"


def offered_devices(node: NodeText) -> tuple[str, int] | None:
    """The resource name under which a Node offers its NVIDIA devices, and their number; None where it offers none."""
    found = [
        (key, cards_counted(node.offered[key], resource(node.offered_place, key)))
        for key in (GPU_RESOURCE, RENAMED)
        if key in node.offered
    ]
    return next((each for each in found if each[1]), found[0] if found else None)


def replicas_of(node: NodeText) -> int:
    """How many times each device is offered; 1 where nothing is shared."""
    for key in (REPLICAS, GKE_CLIENTS):
        value = node.labels.get(key)
        count = node.attempt(label(key), cards_counted, value) if value else None
        if count and count > 1:
            return count
    return _unlabelled_replicas(node)


def card_count(node: NodeText) -> int | None:
    """How many cards the machine has, offered or not, from labels of feature discovery or Karpenter."""
    value, key = next(((value, key) for key in (COUNT, KARPENTER_COUNT) if (value := node.labels.get(key))), ("", ""))
    return node.attempt(label(key), cards_counted, value) if value else None


def _unlabelled_replicas(node: NodeText) -> int:
    """Replicas per card where no label states sharing: more devices than cards means that cards are shared."""
    offered, cards = offered_devices(node), card_count(node)
    if not offered or not cards or offered[1] <= cards or node.labels.get(MIG_STRATEGY, "none") != "none":
        return 1
    return -(-offered[1] // cards)


def sharing_of(node: NodeText) -> Sharing | None:
    """How the devices are shared; None where each is offered once."""
    if replicas_of(node) == 1:
        return None
    strategy = node.labels.get(STRATEGY) or node.labels.get(GKE_STRATEGY) or ""
    return Sharing.MPS if strategy.casefold() == _MPS else Sharing.TIME_SLICING


def places_per_container(node: NodeText) -> int | None:
    """How many places a container gets at most: one under MPS and on every GKE node that shares."""
    sharing = sharing_of(node)
    one = sharing is Sharing.MPS or (sharing is not None and GKE_CLIENTS in node.labels)
    return 1 if one else None
