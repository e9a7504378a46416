"""How long things take on simulated workers."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from bayplan.framework.errors import InputError
from bayplan.manifests.marks import BOOKING, ENGINE_ARGS
from bayplan.manifests.values import duration_s
from bayplan.sim.fleet.marks import DURATION, LOADING

if TYPE_CHECKING:
    from bayplan.control.store import Object

MIB_PER_GIB = 1024
_BYTES_PER_MIB = 1024 * 1024
_KV_CACHE = "--kv-cache-memory-bytes="
_OF_DEADLINE = 0.9  # work that says no duration ends a little before its deadline
BACK_OFF_S, LONGEST_BACK_OFF_S = 10.0, 300.0
"""Pauses of a kubelet between restarts: the first, and where doubling ends."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Times of a fleet. `jitter` 0.1 makes each between 10 % shorter and 10 % longer, the same for the same Pod."""

    start_s: float = 1.0
    gib_per_s: float = 4.0
    longest_load_s: float = 300.0
    jitter: float = 0.1
    job_s: float = 60.0
    stop_s: float = 1.0
    mig_s: float = 5.0
    heartbeat_s: float = 10.0


def load_s(pod: Object, pace: Pace) -> float:
    """How long the engine of a Pod loads: what its cards hold beside the KV cache, at the speed of the fleet."""
    told = _duration(pod, LOADING)
    if told is not None:
        return told
    return min(weights_mib(pod) / MIB_PER_GIB / pace.gib_per_s, pace.longest_load_s)


def job_s(pod: Object, pace: Pace) -> float:
    """How long the work of a Pod takes once it has begun."""
    told = _duration(pod, DURATION)
    if told is not None:
        return told
    deadline = pod["spec"].get("activeDeadlineSeconds")
    return pace.job_s if deadline is None else min(pace.job_s, _OF_DEADLINE * deadline)


def back_off_s(restarts: int) -> float:
    """The pause before a container is started again, as a kubelet makes it: ten seconds, then twice as long."""
    return min(LONGEST_BACK_OFF_S, BACK_OFF_S * 2.0 ** min(restarts, 8))


def drawn(seed: int, *words: str) -> float:
    """A number from 0 to 1 that follows from the seed and the words alone, in whatever order they are asked."""
    digest = hashlib.blake2b("\0".join((str(seed), *words)).encode(), digest_size=8).digest()
    return int.from_bytes(digest) / 2.0**64


def varied(seconds: float, jitter: float, chance: float) -> float:
    """The time, made a little shorter or longer."""
    return seconds * (1.0 + jitter * (2.0 * chance - 1.0))


def weights_mib(pod: Object) -> float:
    """The memory that is filled before a replica is ready; 0 where its Pod does not say."""
    annotations = pod["metadata"].get("annotations") or {}
    cards = _json(annotations.get(BOOKING), {}).get("gpus") or ()
    booked = sum(each.get("memory") or 0 for each in cards)
    flags = _json(annotations.get(ENGINE_ARGS), [])
    cached = next((each for each in flags if str(each).startswith(_KV_CACHE)), _KV_CACHE + "0")
    return max(0.0, booked - len(cards) * int(cached.removeprefix(_KV_CACHE)) / _BYTES_PER_MIB)


def _json(text: str | None, absent: Any) -> Any:
    return orjson.loads(text) if text else absent


def _duration(pod: Object, mark: str) -> float | None:
    text = (pod["metadata"].get("annotations") or {}).get(mark)
    if text is None:
        return None
    try:
        return duration_s(text)
    except InputError:
        return None  # the fleet plays a kubelet: what it cannot read it leaves out
