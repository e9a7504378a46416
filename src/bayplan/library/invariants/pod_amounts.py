"""What a Pod asks for, counted once more from its document: the second opinion about the reader of inventories."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from bayplan.cluster.device_offer import GPU_RESOURCE, MIG_RESOURCE
from bayplan.manifests.inventory.amounts import bytes_claimed, cards_counted, cpu_claimed
from bayplan.manifests.inventory.node_cards import OTHER_RESOURCES
from bayplan.manifests.inventory.shared_cards import RENAMED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

CPU, MEMORY = "cpu", "memory"
_COUNTED = frozenset({GPU_RESOURCE, RENAMED, *OTHER_RESOURCES})


def is_counted(resource: str) -> bool:
    """Whether a resource counts devices: whole cards, places on cards, or MIG instances."""
    return resource in _COUNTED or resource.startswith(MIG_RESOURCE)


def asked_by(pod: Mapping[str, Any]) -> Counter[str]:
    """Thousandths of a core, MiB and devices by resource name.

    The rule of Kubernetes: containers and sidecars run together; each init container runs with the sidecars before it;
    the larger of both counts for each resource. Amounts of the whole Pod replace the sums, and overhead comes on top.
    """
    spec = pod["spec"]
    running = _sum(_amounts(each) for each in spec.get("containers") or ())
    starting: Counter[str] = Counter()
    beside: Counter[str] = Counter()
    for each in spec.get("initContainers") or ():
        own = _amounts(each)
        if each.get("restartPolicy") == "Always":
            beside = _sum((beside, own))
        else:
            starting |= _sum((beside, own))
    asked = _sum((running, beside)) | starting
    for name, amount in _amounts(spec).items():
        if name in (CPU, MEMORY):
            asked[name] = amount or asked[name]
    return _sum((asked, _counted(spec.get("overhead") or {})))


def _amounts(holder: Mapping[str, Any]) -> Counter[str]:
    """What `resources` of a container or a Pod say: a limit counts where nothing is requested."""
    resources = holder.get("resources") or {}
    return _counted({**(resources.get("limits") or {}), **(resources.get("requests") or {})})


def _counted(written: Mapping[str, Any]) -> Counter[str]:
    found: Counter[str] = Counter()
    for name, value in written.items():
        if name == CPU:
            found[name] = cpu_claimed(value, name)
        elif name == MEMORY:
            found[name] = bytes_claimed(value, name)
        elif is_counted(name):
            found[name] = cards_counted(value, name)
    return found


def _sum(counters: Iterable[Counter[str]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for each in counters:
        total.update(each)
    return total
