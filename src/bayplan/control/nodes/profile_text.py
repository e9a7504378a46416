"""What was measured on a worker, as annotations of its Node: the names of the Alnair profiler, in JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from bayplan.manifests.inventory.profiler import PREFIX, RUNTIME

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.cluster.gpu import Gpu
    from bayplan.control.nodes.card_windows import CardWindow, WorkerWindows

STATIC, HOST = f"{PREFIX}gpu-static", f"{PREFIX}host"
PERCENT_STEP = 10.0
"""A use that changed by fewer points is not worth a write: 5,000 workers must not keep the store busy."""
MEMORY_STEP_MIB = 1024
_PERIOD_STEP = 0.2  # of the period


def profile_annotations(gpus: Sequence[Gpu], windows: WorkerWindows, held_mib: Mapping[int, int]) -> dict[str, str]:
    """The annotations of a worker; `held_mib` is what bound Pods hold of each card.

    `mem_used` leaves that out: a placement counts what is booked itself, and what a Pod held must be free again as soon
    as it is gone, not when it is measured next.
    """
    found: dict[str, dict[str, Any]] = {}
    own = [gpu for gpu in gpus if gpu.runtime == RUNTIME]
    if own:
        found[STATIC] = _static(own)
    for gpu in own:
        window = windows.cards.get((gpu.runtime, gpu.index))
        if window is not None:
            found[f"{PREFIX}gpu-{gpu.index}"] = _card(gpu, window, held_mib.get(gpu.index, 0))
    if windows.host:
        found[HOST] = {key: round(value, 1) for key, value in windows.host.items()}
    return {key: orjson.dumps(value).decode() for key, value in found.items()}


def _static(gpus: Sequence[Gpu]) -> dict[str, Any]:
    """What all cards have in common."""
    static: dict[str, Any] = {"count": len(gpus)}
    if len(models := {gpu.model for gpu in gpus}) == 1 and None not in models:
        static["model"] = gpus[0].model
    if len(sizes := {gpu.memory_mib for gpu in gpus}) == 1 and None not in sizes:
        static["mem_size"] = f"{gpus[0].memory_mib}Mi"
    if len(links := {gpu.pcie_gen for gpu in gpus}) == 1 and None not in links:
        static["pcie_gen_width"] = f"{gpus[0].pcie_gen}"
    return static


def _card(gpu: Gpu, window: CardWindow, held_mib: int) -> dict[str, Any]:
    card: dict[str, Any] = {}
    if window.memory_mib is not None:
        card["mem_used"] = f"{max(0, window.memory_mib - held_mib)}Mi"
        if gpu.memory_mib is not None:
            card["mem_free"] = f"{max(0, gpu.memory_mib - window.memory_mib)}Mi"
    if window.processes is not None:
        card["process_cnt"] = window.processes
    if window.most_percent is not None:
        card["max_gpu_util"] = round(window.most_percent)
    if window.most_bandwidth_percent is not None:
        card["max_mem_bw_util"] = round(window.most_bandwidth_percent)
    if window.pattern is not None:
        card["cyclic_pattern"] = window.pattern.cyclic
        if window.period_s is not None:
            card["period"] = round(window.period_s, 1)
    return card


def differs(old: Mapping[str, str], new: Mapping[str, str]) -> bool:
    """Whether it is worth writing: something is new or gone, or a number changed by more than its step."""
    known = {key: text for key, text in old.items() if key in new or _is_ours(key)}
    if known.keys() != new.keys():
        return True
    return any(_differs(known[key], new[key]) for key in new)


def _is_ours(key: str) -> bool:
    return key in (STATIC, HOST) or (key.startswith(f"{PREFIX}gpu-") and key.removeprefix(f"{PREFIX}gpu-").isdigit())


def without_ours(annotations: Mapping[str, str]) -> dict[str, str]:
    """The annotations of others."""
    return {key: text for key, text in annotations.items() if not _is_ours(key)}


def _differs(old: str, new: str) -> bool:
    if old == new:
        return False
    try:
        before, after = orjson.loads(old), orjson.loads(new)
    except orjson.JSONDecodeError:
        return True
    if not isinstance(before, dict) or before.keys() != after.keys():
        return True
    return any(_far(key, before[key], after[key]) for key in after)


def _far(key: str, before: Any, after: Any) -> bool:
    if key in ("mem_used", "mem_free"):
        return abs(_mib(before) - _mib(after)) >= MEMORY_STEP_MIB
    if isinstance(after, bool) or not isinstance(after, int | float) or not isinstance(before, int | float):
        return bool(before != after)
    if key == "period":
        return abs(before - after) > _PERIOD_STEP * max(before, after)
    return abs(before - after) >= PERCENT_STEP or (after == 0) is not (before == 0)


def _mib(value: Any) -> int:
    digits = str(value).removesuffix("Mi")
    return int(digits) if digits.isdigit() else 0
