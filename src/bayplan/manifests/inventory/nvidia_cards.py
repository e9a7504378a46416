"""The NVIDIA cards of a Node: how many, of which model, how large, and whether they are cut into slices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cluster.catalogue import matches, nominal_mib
from bayplan.manifests.inventory.amounts import bytes_offered, cards_counted, mib_offered
from bayplan.manifests.inventory.card_group import CardGroup
from bayplan.manifests.inventory.instance_types import LABELS as TYPE_LABELS, model_in
from bayplan.manifests.inventory.node_text import label
from bayplan.manifests.inventory.shared_cards import (
    COUNT,
    GKE_CLIENTS,
    MIG_STRATEGY,
    REPLICAS,
    SHARED_PRODUCT,
    card_count,
    offered_devices,
    replicas_of,
)

if TYPE_CHECKING:
    from bayplan.manifests.inventory.node_text import NodeText

PRODUCT = "nvidia.com/gpu.product"
MEMORY = "nvidia.com/gpu.memory"
GKE_MODEL = "cloud.google.com/gke-accelerator"
GKE_PARTITION = "cloud.google.com/gke-gpu-partition-size"
KARPENTER_MODEL = "karpenter.k8s.aws/instance-gpu-name"
KARPENTER_MEMORY = "karpenter.k8s.aws/instance-gpu-memory"
OUR_MODEL = "neuronetes.io/gpu-type"
OUR_MEMORY = "neuronetes.io/gpu-memory"
OUR_COUNT = "neuronetes.io/gpu-count"
LABELS = (
    *(PRODUCT, MEMORY, GKE_MODEL, GKE_PARTITION, KARPENTER_MODEL, KARPENTER_MEMORY),
    *(OUR_MODEL, OUR_MEMORY, OUR_COUNT, *TYPE_LABELS),
)

_GKE_MODELS = {"nvidia-tesla-a100": "A100-SXM4-40GB", "nvidia-tesla-v100": "V100-SXM2-16GB"}
"""GKE labels that do not contain the memory size; the larger A100 has a label of its own."""

_INVALID = "invalid"
"""The profile that feature discovery writes where the cards of a node have different MIG layouts."""


def nvidia_group(node: NodeText) -> CardGroup | None:
    """The cards that are whole; None where there are none, or all are cut into slices."""
    count = None if is_single(node) else _card_count(node)
    if not count:
        return None
    model, replicas = _model(node), replicas_of(node)
    places = replicas if replicas > 1 else None
    return CardGroup("cuda", count, model, _memory(node, model), places)


def is_single(node: NodeText) -> bool:
    """Whether all cards have the same MIG layout and `nvidia.com/gpu` counts slices (strategy `single`)."""
    return _profile(node) is not None


def single_slices(node: NodeText) -> dict[str, int]:
    """The slices of such a node by profile."""
    profile = _profile(node)
    if profile is None:
        return {}
    if profile == _INVALID:
        message = "the cards are not all cut alike, so the node offers no devices; give all cards the same MIG layout"
        node.remark(label(PRODUCT), message, "mig invalid")
        return {}
    offered = offered_devices(node)
    return {profile: offered[1]} if offered else {}


def _profile(node: NodeText) -> str | None:
    head, mark, profile = _product(node).rpartition("-MIG-")
    if head and mark and profile:
        return profile.lower()
    return node.labels.get(GKE_PARTITION, "").lower() or None


def _product(node: NodeText) -> str:
    return node.labels.get(PRODUCT, "").removesuffix(SHARED_PRODUCT)


def _card_count(node: NodeText) -> int | None:
    """The number of cards, not of places: time slicing and MPS offer each card several times."""
    offered = offered_devices(node)
    if offered is None and (written := node.written(OUR_COUNT)):
        return node.attempt(written[1], cards_counted, written[0])
    cards = offered[1] // replicas_of(node) if offered else 0
    _compare(node, card_count(node), cards, offered)
    return cards


def _compare(node: NodeText, known: int | None, cards: int, offered: tuple[str, int] | None) -> None:
    """Warn where a node offers another number of cards than its labels state."""
    if known and known > cards and node.labels.get(MIG_STRATEGY, "none") == "none":
        message = f"the node has {_cards(known)} and offers {cards}; cards that it does not offer are left out"
        node.remark(label(COUNT), message, "missing")
    elif offered and known and offered[1] > known and not _says_replicas(node):
        message = (
            f"the node has {_cards(known)} and offers {offered[1]:,} {offered[0]}, so {replicas_of(node):,} places on"
            f" each card are assumed; label the node with {REPLICAS}"
        )
        node.remark(label(COUNT), message, "assumed places")
    elif offered and not known and node.labels.get(PRODUCT, "").endswith(SHARED_PRODUCT) and replicas_of(node) == 1:
        message = f"the cards are shared, but no label says how many places each has; label the node with {REPLICAS}"
        node.remark(label(PRODUCT), message, "places")


def _cards(number: int) -> str:
    return f"{number:,} card{'s' * (number > 1)}"


def _says_replicas(node: NodeText) -> bool:
    return any(node.labels.get(key) not in (None, "", "0", "1") for key in (REPLICAS, GKE_CLIENTS))


def board_count(node: NodeText) -> int | None:
    """How many cards feature discovery has found, offered or not."""
    value = node.labels.get(COUNT)
    return node.attempt(label(COUNT), cards_counted, value) if value else None


def _model(node: NodeText) -> str | None:
    """The model that a person wrote, unless the discovered name agrees with it and is more precise."""
    written, found = node.written(OUR_MODEL), _discovered_model(node)
    if written is None:
        return found
    return found if found and matches(written[0], found) else written[0]


def _discovered_model(node: NodeText) -> str | None:
    labels = node.labels
    if product := _product(node):
        return product
    types = (labels[key] for key in TYPE_LABELS if labels.get(key))
    if model := next((model for each in types if (model := model_in(each))), None):
        return model
    if accelerator := labels.get(GKE_MODEL):
        return _GKE_MODELS.get(accelerator, accelerator)
    return labels.get(KARPENTER_MODEL) or None


def _memory(node: NodeText, model: str | None) -> int | None:
    """The memory of a card: the smaller of written and discovered size; the nominal size where neither exists."""
    found = []
    for key in (MEMORY, KARPENTER_MEMORY):
        if value := node.labels.get(key):
            found.append(node.attempt(label(key), mib_offered, value))
            break
    found.append(written_memory(node))
    return min((size for size in found if size), default=None) or assumed_memory(node, model)


def written_model(node: NodeText) -> str | None:
    """The model that a person wrote, for cards of any maker."""
    written = node.written(OUR_MODEL)
    return written[0] if written else None


def written_memory(node: NodeText) -> int | None:
    """The size of each card in MiB that a person wrote."""
    written = node.written(OUR_MEMORY)
    return node.attempt(written[1], bytes_offered, written[0]) if written else None


def assumed_memory(node: NodeText, model: str | None) -> int | None:
    """The nominal size of a model, with a warning, because no label states the size."""
    size = nominal_mib(model)
    if size is not None and model is not None:
        message = f"no label says how large the cards are; {size:,} MiB are assumed for each {model[:64]}"
        node.remark("metadata.labels", message, f"assumed memory of {model}")
    return size
