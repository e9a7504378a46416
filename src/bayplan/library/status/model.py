"""The status of a Model of NeuroNetes: which workers have its weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.library.status.conditions import Condition, conditions_of, with_conditions
from bayplan.library.status.documents import Object, generation_of, part, with_fields
from bayplan.library.status.moments import moment_text

if TYPE_CHECKING:
    from collections.abc import Mapping

_OWNED = ("Ready",)
READY, LOADING, FAILED = "ready", "loading", "failed"
"""What a worker does with the weights; the best that is said of a worker counts."""
_BEST = (READY, LOADING, FAILED)


def best(words: list[str]) -> str:
    """The best of what is said of one worker."""
    return min(words, key=_BEST.index)


def model_status(model: Mapping[str, Any], workers: Mapping[str, str], now: float) -> Object:
    """The new status; `workers` says by name whether each is ready, loading or failed."""
    old, at = part(model, "status"), moment_text(now)
    phase = _phase(set(workers.values()))
    return with_fields(
        old,
        phase=phase,
        cachedNodes=_cached(old, workers, at),
        observedGeneration=generation_of(model),
        conditions=with_conditions(conditions_of(model), [_ready(phase, workers)], _OWNED, at),
    )


def _phase(words: set[str]) -> str:
    if READY in words:
        return "Ready"
    if LOADING in words:
        return "Loading"
    return "Failed" if FAILED in words else "Pending"


def _cached(old: Mapping[str, Any], workers: Mapping[str, str], at: str) -> list[Object]:
    """One entry a worker, in order of names; the time is when it first said what it says."""
    before = {each.get("nodeName"): each for each in old.get("cachedNodes") or () if isinstance(each, dict)}
    found = []
    for name, word in sorted(workers.items()):
        known = before.get(name, {})
        since = known.get("cachedAt") if known.get("status") == word else None
        found.append({"nodeName": name, "status": word, "cachedAt": since or at})
    return found


def _ready(phase: str, workers: Mapping[str, str]) -> Condition:
    have = sum(word == READY for word in workers.values())
    if phase == "Ready":
        return Condition("Ready", True, "Cached", f"{have} worker{'s have' if have != 1 else ' has'} it")
    messages = {"Loading": "it is being loaded", "Failed": "no worker could load it", "Pending": "no worker has it"}
    return Condition("Ready", False, {"Pending": "NotCached"}.get(phase, phase), messages[phase])
