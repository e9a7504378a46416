"""The annotations of the Alnair profiler and device plugin, in the forms of all their versions."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from bayplan.cluster.gpu import Gpu
from bayplan.cluster.quantities import parse_count, parse_duration_s, parse_memory_mib, parse_percent, shown
from bayplan.cluster.utilization import GpuUtilization, Utilization
from bayplan.framework.errors import InputError
from bayplan.manifests.inventory.amounts import MAX_CARDS, cards_counted
from bayplan.manifests.inventory.literals import read_literal
from bayplan.manifests.inventory.node_text import annotation

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.manifests.inventory.node_text import NodeText

PREFIX = "ai.centaurus.io/"
RUNTIME = "cuda"

_CARD = re.compile(r"gpu-([0-9]{1,4})")
_OLD_CARD = re.compile(r"GPU-([0-9]{1,4})-(job-type|mem-util-max)")
_GIB_SIZE = re.compile(r"([0-9]{1,9})\s*(?:GB|GiB|Gi|G)", re.IGNORECASE)


@dataclass(slots=True)
class SeenCard:
    """What the profiler measured on one card."""

    uuid: str | None = None
    memory_mib: int | None = None
    observed_used_mib: int | None = None
    gpu_percent: float | None = None
    memory_bandwidth_percent: float | None = None
    cyclic: bool | None = None
    period_s: float | None = None
    job_type: str | None = None

    def utilization(self, index: int) -> GpuUtilization | None:
        """The measured load; None where nothing was measured."""
        measured = (self.gpu_percent, self.memory_bandwidth_percent, self.cyclic, self.period_s, self.job_type)
        if all(value is None for value in measured):
            return None
        return GpuUtilization(
            index,
            RUNTIME,
            gpu_percent=self.gpu_percent,
            memory_bandwidth_percent=self.memory_bandwidth_percent,
            cyclic=self.cyclic,
            period_s=self.period_s,
            job_type=self.job_type,
        )


@dataclass(slots=True)
class NodeProfile:
    """What the profiler measured on a node: values for all cards, and values card by card."""

    count: int | None = None
    model: str | None = None
    memory_mib: int | None = None
    pcie_gen: int | None = None
    cards: dict[int, SeenCard] = field(default_factory=dict)

    def card(self, index: int) -> SeenCard:
        return self.cards.setdefault(index, SeenCard())


def profile_of(node: NodeText) -> NodeProfile | None:
    """Everything that the annotations state; what cannot be read is ignored with a warning."""
    names = [key for key in node.annotations if key.startswith(PREFIX)]
    if not names:
        return None
    profile = NodeProfile()
    for key in names:
        read = partial(_read, profile, key.removeprefix(PREFIX))
        node.attempt(annotation(key), read, node.annotations[key])
    return profile


def with_profile(node: NodeText, profile: NodeProfile, gpus: tuple[Gpu, ...]) -> tuple[Gpu, ...]:
    """The cards with their measurements; where nothing else counts the cards, the profile does."""
    if not any(gpu.runtime == RUNTIME for gpu in gpus) and profile.count:
        gpus = (*(Gpu(index, RUNTIME) for index in range(profile.count)), *gpus)
    known = {gpu.index for gpu in gpus if gpu.runtime == RUNTIME}
    for index in sorted(profile.cards.keys() - known):
        message = f"the profile of card {index} is ignored: the node has {len(known)} cards"
        node.remark("metadata.annotations", message, "no such card")
    return tuple(_completed(gpu, profile) if gpu.runtime == RUNTIME else gpu for gpu in gpus)


def utilization_of(profile: NodeProfile, gpus: tuple[Gpu, ...]) -> Utilization | None:
    """The measured load; the profiler writes no time, so its age is unknown."""
    known = {gpu.index for gpu in gpus if gpu.runtime == RUNTIME}
    seen = (card.utilization(index) for index, card in sorted(profile.cards.items()) if index in known)
    measured = tuple(gpu for gpu in seen if gpu is not None)
    return Utilization(gpus=measured) if measured else None


def _completed(gpu: Gpu, profile: NodeProfile) -> Gpu:
    seen = profile.cards.get(gpu.index) or SeenCard()
    return replace(
        gpu,
        uuid=gpu.uuid or seen.uuid,
        model=gpu.model or profile.model,
        memory_mib=gpu.memory_mib or seen.memory_mib or profile.memory_mib,
        pcie_gen=gpu.pcie_gen if gpu.pcie_gen is not None else profile.pcie_gen,
        observed_used_mib=seen.observed_used_mib,
    )


def _read(profile: NodeProfile, name: str, value: object, place: str) -> None:
    """Read one annotation; annotations that are not about cards are skipped."""
    if name in _READERS:
        _READERS[name](profile, value, place)
    elif found := _CARD.fullmatch(name):
        _read_card(profile, int(found[1]), _pairs(value, place), place)
    elif found := _OLD_CARD.fullmatch(name):
        _read_old(profile, int(found[1]), found[2], value, place)


def _read_static(profile: NodeProfile, value: object, place: str) -> None:
    """Read a dict of static values; a dict with one wrong value is ignored as a whole."""
    pairs = _pairs(value, place)
    count = cards_counted(pairs["count"], place) if "count" in pairs else None
    memory_mib = _gib(pairs["mem_size"], place) if "mem_size" in pairs else None
    generation = str(pairs.get("pcie_gen_width", "")).partition("x")[0]
    pcie_gen = parse_count(generation, place, minimum=1, maximum=16) if generation else None
    model = pairs.get("model")
    profile.count = count or profile.count
    profile.memory_mib, profile.pcie_gen = memory_mib, pcie_gen
    profile.model = model[:256] if isinstance(model, str) and model else None


def _read_card(profile: NodeProfile, index: int, pairs: dict[str, Any], place: str) -> None:
    used, busy, period = pairs.get("mem_used"), pairs.get("max_gpu_util"), pairs.get("period")
    bandwidth = pairs.get("max_mem_bw_util", pairs.get("max_mem_util"))
    cyclic = pairs.get("cyclic_pattern")
    profile.cards[index] = replace(
        profile.card(index),
        observed_used_mib=None if used is None else _gib(used, place),
        gpu_percent=None if busy is None else parse_percent(busy, place),
        memory_bandwidth_percent=None if bandwidth is None else parse_percent(bandwidth, place),
        cyclic=cyclic if isinstance(cyclic, bool) else None,
        period_s=None if period is None else parse_duration_s(period, place),
    )


def _read_old(profile: NodeProfile, index: int, kind: str, value: object, place: str) -> None:
    if kind == "job-type":
        profile.card(index).job_type = str(value)[:64]
    else:
        profile.card(index).memory_bandwidth_percent = parse_percent(value, place)


def _read_uuids(profile: NodeProfile, value: object, place: str) -> None:
    uuids = _parts(value, place)
    for index, uuid in enumerate(uuids):
        profile.card(index).uuid = uuid[:128]
    profile.count = profile.count or len(uuids)


def _read_sizes(profile: NodeProfile, value: object, place: str) -> None:
    sizes = [parse_count(size, place, maximum=2**20) * 1024 for size in _parts(value, place)]
    for index, memory_mib in enumerate(sizes):
        profile.card(index).memory_mib = memory_mib
    profile.count = profile.count or len(sizes)


def _read_count(profile: NodeProfile, value: object, place: str) -> None:
    profile.count = cards_counted(value, place)


_READERS: dict[str, Callable[[NodeProfile, object, str], None]] = {
    "gpu-static": _read_static,
    "physical-gpu-count": _read_count,
    "physical-gpu-uuids": _read_uuids,
    "vitual-gpu-count": _read_sizes,  # spelt so by the device plugin
    "virtual-gpu-count": _read_sizes,
}


def _gib(value: object, place: str) -> int:
    """MiB of a size. The profiler writes `12GB` for 12 GiB; other units are read as written."""
    found = _GIB_SIZE.fullmatch(value.strip()) if isinstance(value, str) else None
    if found:
        return parse_memory_mib(f"{found[1]}Gi", place, rounding="up")
    return parse_memory_mib(value, place, rounding="up")


def _pairs(value: object, place: str) -> dict[str, Any]:
    found = read_literal(value, place)
    if not isinstance(found, dict):
        raise InputError(f"{shown(value)} is no dict", place=place, next="write a dict of texts and numbers")
    return found


def _parts(value: object, place: str) -> list[str]:
    parts = [part.strip() for part in str(value).split(",", MAX_CARDS)]
    if len(parts) > MAX_CARDS:
        message = f"more than {MAX_CARDS:,} cards on one worker"
        raise InputError(message, place=place, next="check the list")
    return [part for part in parts if part]
