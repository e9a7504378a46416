"""What a Pod asks for: its containers added up, as Kubernetes does it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.cluster.byte_resources import is_in_bytes
from bayplan.cluster.device_offer import GPU_RESOURCE, MIG_RESOURCE
from bayplan.cluster.frozen_map import NO_AMOUNTS, FrozenMap
from bayplan.cluster.gang import MinResources
from bayplan.cluster.workload import Container, GpuRequest
from bayplan.framework.errors import InputError
from bayplan.manifests.inventory.node_cards import OTHER_RESOURCES
from bayplan.manifests.inventory.shared_cards import RENAMED
from bayplan.manifests.values import MOST_PERCENT, claim_cpu_milli, claim_mib_of_bytes, claimed_amount, count, text
from bayplan.manifests.workloads.hami_shares import NAMES as HAMI, hami_share

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bayplan.manifests.fields import Fields
    from bayplan.manifests.values import Parse

CPU = "cpu"
MEMORY = "memory"
VGPU_MEMORY = "alnair/vgpu-memory"
VGPU_COMPUTE = "alnair/vgpu-compute"
WHOLE_CARDS = {GPU_RESOURCE: "cuda", RENAMED: "cuda", **OTHER_RESOURCES}

_GIB_IN_MIB = 1024
_MILLI_IN_PERCENT = 10

# Amounts that no container asks for, only quotas.
_NOT_COUNTED = ("pods", "storage")

Amounts = Counter[str]


@dataclass(frozen=True, slots=True)
class PodRequest:
    """The request of a Pod; CPU and RAM are None where not requested. `containers` run side by side, in order.

    `unknown` is the demand that is not understood.
    """

    cpu_milli: int | None
    ram_mib: int | None
    gpus: GpuRequest | None
    containers: tuple[Container, ...]
    guaranteed: bool
    resources: FrozenMap[str, int] = NO_AMOUNTS
    unknown: str = ""


@dataclass(frozen=True, slots=True)
class _Asked:
    """One container: its requests, its CPU limit, and whether requests equal limits (guaranteed)."""

    amounts: Amounts
    cpu_limit_milli: int | None
    guaranteed: bool

    @property
    def container(self) -> Container:
        """The request as a container; a share of a card counts as one device."""
        devices = [amount for resource, amount in self.amounts.items() if _counts_cards(resource)]
        shares = sum(self.amounts[key] for key in (VGPU_MEMORY, VGPU_COMPUTE, *HAMI))
        cards = sum(devices) or int(shares > 0)
        return Container(self.amounts[CPU], self.amounts[MEMORY], cards, self.cpu_limit_milli)


def read_pod_request(spec: Fields, containers: Iterable[Fields] | None = None) -> PodRequest:
    """The sum of the containers or the largest init step, whichever is more, plus the overhead.

    `containers` are those of the spec, unless the caller passes others.
    """
    running: Amounts = Counter()
    starting: Amounts = Counter()
    beside: list[_Asked] = []
    passing: list[_Asked] = []
    for container in spec.children("initContainers"):
        asked = _container(container)
        if container.raw("restartPolicy") == "Always":
            beside.append(asked)
            running += asked.amounts
            starting |= running
        else:
            passing.append(asked)
            starting |= running + asked.amounts
    for container in spec.children("containers") if containers is None else containers:
        beside.append(_container(container))
        running += beside[-1].amounts
    whole = _of_the_pod(spec, running | starting)
    total = whole.amounts + Counter(_amounts(spec, "overhead"))
    gpus, unknown = _gpus(total, passing, beside)
    return PodRequest(
        cpu_milli=total[CPU] or None,
        ram_mib=total[MEMORY] or None,
        gpus=gpus,
        containers=tuple(asked.container for asked in beside),
        guaranteed=whole.guaranteed or all(asked.guaranteed for asked in (*passing, *beside)),
        resources=FrozenMap({name: amount for name, amount in total.items() if amount and not _is_own(name)}),
        unknown=_claims(spec) or whole.unknown or unknown,
    )


@dataclass(frozen=True, slots=True)
class _Whole:
    """The request of all containers, or of the Pod as a whole, and whether it is of class Guaranteed."""

    amounts: Amounts
    guaranteed: bool = False
    unknown: str = ""


def _of_the_pod(spec: Fields, summed: Amounts) -> _Whole:
    """The sums, replaced by amounts of the whole Pod; its limits count where nothing is requested."""
    if "resources" not in spec:
        spec.ignore("resources")
        return _Whole(summed)
    resources = spec.child("resources")
    limits, requests = _amounts(resources, "limits"), _amounts(resources, "requests")
    resources.ignore("claims")
    resources.finish()
    amounts = Counter(limits | {name: amount for name, amount in summed.items() if amount} | requests)
    others = sorted(name for name in limits | requests if name not in (CPU, MEMORY) and not is_in_bytes(name))
    unknown = f"resources of the Pod name {', '.join(others)}; ask for that in a container" if others else ""
    return _Whole(amounts, all(amounts[key] and limits.get(key) == amounts[key] for key in (CPU, MEMORY)), unknown)


def read_min_resources(spec: Fields) -> MinResources | None:
    """The resources that must be free before any Pod of a group is placed; None where the group names none."""
    amounts = Counter(_amounts(spec, "minResources"))
    for resource in sorted(amounts):
        if resource not in (CPU, MEMORY) and resource not in WHOLE_CARDS:
            spec.warn(f"{resource} is ignored; the demands of the members count", "minResources")
    found = MinResources(
        cpu_milli=amounts[CPU],
        ram_mib=amounts[MEMORY],
        cards=sum(amounts[resource] for resource in WHOLE_CARDS),
    )
    return found if found.any else None


def _container(container: Fields) -> _Asked:
    """One container; a limit without a request counts as the request."""
    resources = container.child("resources")
    limits = _amounts(resources, "limits")
    asked = Counter(limits | _amounts(resources, "requests"))
    resources.ignore("claims")
    resources.finish()
    guaranteed = all(asked[key] and limits.get(key) == asked[key] for key in (CPU, MEMORY))
    return _Asked(asked, limits.get(CPU), guaranteed)


def _amounts(owner: Fields, key: str) -> dict[str, int]:
    """The amounts by resource: cards in units, CPU in thousandths of a core, memory in MiB."""
    fields = owner.child(key)
    found = {}
    for resource in fields:
        parse = _parser(resource)
        if parse is None:
            fields.leave(resource, reason="quotas count it, and no container asks for it")
        elif (amount := fields.read(resource, parse)) is not None:
            found[resource] = amount
    fields.finish()
    return found


def _parser(resource: str) -> Parse[int] | None:
    if resource == CPU:
        return claim_cpu_milli
    if resource == MEMORY or is_in_bytes(resource):
        return claim_mib_of_bytes
    if _counts_cards(resource) or resource in (VGPU_MEMORY, VGPU_COMPUTE, *HAMI):
        return count
    return None if resource.startswith(_NOT_COUNTED) else claimed_amount


def _is_own(resource: str) -> bool:
    """Whether a resource has a field of its own; all others are counted by name."""
    return resource in (CPU, MEMORY, VGPU_MEMORY, VGPU_COMPUTE, *HAMI) or _counts_cards(resource)


def _counts_cards(resource: str) -> bool:
    return resource in WHOLE_CARDS or resource.startswith(MIG_RESOURCE)


def _claims(spec: Fields) -> str:
    """Why resource claims are not understood: they are described in objects that are not read."""
    claims = [claim.read("name", text, "?") for claim in spec.children("resourceClaims")]
    return f"what the resource claims {', '.join(claims)} ask for is not known" if claims else ""


def _gpus(total: Amounts, passing: Sequence[_Asked], beside: Sequence[_Asked]) -> tuple[GpuRequest | None, str]:
    """The cards of a Pod, or why they are not understood; shares of all containers are on one card."""
    kinds = sorted(name for name, amount in total.items() if amount and _is_own(name) and name not in (CPU, MEMORY))
    if not kinds:
        return None, ""
    if set(kinds) <= {VGPU_MEMORY, VGPU_COMPUTE}:
        return _shared(total), ""
    try:
        if set(kinds) <= {GPU_RESOURCE, *HAMI} and set(kinds) & set(HAMI):
            return hami_share([each.amounts for each in beside], [each.amounts for each in passing]), ""
    except InputError as error:
        return None, f"{error.message}; {error.next}"
    if len(kinds) > 1:
        advice = "give each kind a Pod of its own"
        return None, f"the Pod asks for {len(kinds)} kinds of cards: {', '.join(kinds)}; {advice}"
    return _of_one_kind(kinds[0], total, (*passing, *beside)), ""


def _shared(total: Amounts) -> GpuRequest:
    """A share of a card. More than 100 percent is kept: no card has that much, and the answer says so."""
    return GpuRequest(
        count=1,
        memory_mib=total[VGPU_MEMORY] * _GIB_IN_MIB or None,
        compute_milli=min(total[VGPU_COMPUTE], MOST_PERCENT) * _MILLI_IN_PERCENT or None,
    )


def _of_one_kind(kind: str, total: Amounts, containers: Sequence[_Asked]) -> GpuRequest:
    mig = kind.removeprefix(MIG_RESOURCE) if kind.startswith(MIG_RESOURCE) else None
    resource = kind if mig or WHOLE_CARDS.get(kind) == "cuda" else None
    most = max(asked.amounts[kind] for asked in containers) if resource else 0
    return GpuRequest(count=total[kind], runtime=WHOLE_CARDS.get(kind), mig=mig, resource=resource, per_container=most)
