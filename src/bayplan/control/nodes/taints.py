"""The taints of a Node that is not ready, and how long Pods bear them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bayplan.control.store import Object

UNREACHABLE = "node.kubernetes.io/unreachable"
NOT_READY = "node.kubernetes.io/not-ready"
_OURS = frozenset({UNREACHABLE, NOT_READY})
_EFFECTS = ("NoSchedule", "NoExecute")


def with_taint(node: Object, key: str, now: str) -> Object:
    """The Node with this taint, or with none of ours where `key` is empty; the same object where nothing changes."""
    spec = node.get("spec") or {}
    taints: list[dict[str, Any]] = spec.get("taints") or []
    ours = [each for each in taints if each.get("key") in _OURS]
    if {(each["key"], each.get("effect")) for each in ours} == ({(key, each) for each in _EFFECTS} if key else set()):
        return node
    others = [each for each in taints if each.get("key") not in _OURS]
    new = [{"key": key, "effect": each, "timeAdded": now} for each in _EFFECTS] if key else []
    kept = {name: value for name, value in spec.items() if name != "taints"}
    return {**node, "spec": kept | ({"taints": [*others, *new]} if others or new else {})}


def patience_s(pod: Object, key: str, usual_s: float) -> float | None:
    """How long a Pod stays on a Node with this taint; None: for ever."""
    found: list[float | None] = []
    for each in (pod.get("spec") or {}).get("tolerations") or ():
        if each.get("key") not in (key, None, "") or each.get("effect") not in ("NoExecute", None, ""):
            continue
        if not each.get("key") and each.get("operator") != "Exists":
            continue
        seconds = each.get("tolerationSeconds")
        found.append(None if seconds is None else float(seconds))
    limited = [each for each in found if each is not None]
    if found and not limited:
        return None
    return min(limited) if limited else usual_s
