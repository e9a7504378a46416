"""Which cards a replica may see, as the variables that CUDA, ROCm and CANN read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from bayplan.framework.errors import InputError
from bayplan.manifests.marks import DEVICES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.control.store import Object

VARIABLES = {
    "cuda": "CUDA_VISIBLE_DEVICES",
    "rocm": "HIP_VISIBLE_DEVICES",
    "cann": "ASCEND_RT_VISIBLE_DEVICES",
    "musa": "MUSA_VISIBLE_DEVICES",
}
_REAL_UUID = ("GPU-", "MIG-")  # how NVIDIA's driver begins them; others are names in a description


def devices_of(annotations: Mapping[str, str]) -> list[dict[str, Any]]:
    """The cards that a Pod holds; none where nothing is said."""
    text = annotations.get(DEVICES)
    if not text:
        return []
    try:
        listed = orjson.loads(text)
    except orjson.JSONDecodeError:
        listed = None
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        message = "it is no JSON list of cards"
        raise InputError(message, place=f"metadata.annotations[{DEVICES}]", next="let the scheduler bind the Pod")
    return listed


def cards_of(pod: Object) -> set[tuple[str, int]]:
    """The cards of a Pod by runtime and number; none where that cannot be read."""
    try:
        listed = devices_of(pod["metadata"].get("annotations") or {})
    except InputError:
        return set()
    return {
        (str(each.get("runtime") or "cuda"), each["index"]) for each in listed if isinstance(each.get("index"), int)
    }


def visible(devices: list[dict[str, Any]], instances: list[str] | None = None) -> dict[str, str]:
    """The variables; a replica that holds no NVIDIA card must not see those of others.

    `instances` are the UUIDs of its MIG instances, in their order, where this machine knows them.
    """
    shown: dict[str, list[str]] = {"cuda": []}
    known = iter(instances or ())
    for each in devices:
        name = next(known, "") if each.get("mig") else ""
        shown.setdefault(str(each.get("runtime") or "cuda"), []).append(name or _name(each))
    return {VARIABLES[runtime]: ",".join(names) for runtime, names in shown.items() if runtime in VARIABLES}


def _name(device: dict[str, Any]) -> str:
    uuid, index = str(device.get("uuid") or ""), device.get("index")
    return uuid if uuid.startswith(_REAL_UUID) else "" if index is None else str(index)
