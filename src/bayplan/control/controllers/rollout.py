"""How a Deployment moves from old templates to the present one: the next step, as plain numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayplan.library.status.documents import number, part

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True)
class SetState:
    """One ReplicaSet: the replicas that it is told to have, and its Pods; `pods` are all that are not gone."""

    name: str
    replicas: int
    available: int = 0
    pods: int = 0


@dataclass(frozen=True, slots=True)
class Strategy:
    """How many Pods there may be beyond what is wanted, and how many of those wanted may be missing."""

    recreate: bool = False
    surge: int = 0
    unavailable: int = 0

    @classmethod
    def of(cls, spec: Mapping[str, Any]) -> Strategy:
        """The strategy of a Deployment; where neither is allowed, one Pod may be missing."""
        strategy = part(spec, "strategy")
        if strategy.get("type") == "Recreate":
            return cls(recreate=True)
        desired, rolling = number(spec.get("replicas"), 1), part(strategy, "rollingUpdate")
        surge = _share(rolling.get("maxSurge", "25%"), desired, up=True)
        unavailable = _share(rolling.get("maxUnavailable", "25%"), desired, up=False)
        return cls(False, surge, unavailable or int(not surge))


def _share(value: Any, whole: int, *, up: bool) -> int:
    if isinstance(value, str) and value.endswith("%") and value[:-1].isdigit():
        percent = int(value[:-1]) * whole
        return -(-percent // 100) if up else percent // 100
    return max(0, int(value)) if isinstance(value, int) or (isinstance(value, str) and value.isdigit()) else 0


def next_step(desired: int, strategy: Strategy, new: SetState, old: Sequence[SetState]) -> dict[str, int]:
    """ReplicaSets whose numbers change now, by name; `old` with the oldest first. Empty: wait, or all is done."""
    if strategy.recreate:
        return _recreated(desired, new, old)
    if step := _grown(desired, strategy, new, old):
        return step
    return _shrunk(desired, strategy, new, old)


def _recreated(desired: int, new: SetState, old: Sequence[SetState]) -> dict[str, int]:
    if shrink := {each.name: 0 for each in old if each.replicas}:
        return shrink
    if any(each.pods for each in old) or new.replicas == desired:
        return {}
    return {new.name: desired}


def _grown(desired: int, strategy: Strategy, new: SetState, old: Sequence[SetState]) -> dict[str, int]:
    """The new one grows as far as the surge allows; it never has more than is wanted."""
    room = desired + strategy.surge - new.replicas - sum(each.replicas for each in old)
    wanted = min(desired, new.replicas + max(0, room))
    return {} if wanted == new.replicas else {new.name: wanted}


def _shrunk(desired: int, strategy: Strategy, new: SetState, old: Sequence[SetState]) -> dict[str, int]:
    """Old ones shrink: first by Pods that are not available, then as far as available ones replace them."""
    least = desired - strategy.unavailable
    starting = new.replicas - new.available
    spare = new.replicas + sum(each.replicas for each in old) - least - starting
    left = {each.name: each.replicas for each in old}
    for each in old:
        broken = min(each.replicas - each.available, spare)
        if broken > 0:
            left[each.name] -= broken
            spare -= broken
    spare = min(spare, new.available + sum(each.available for each in old) - least)
    for each in old:
        gone = min(left[each.name], spare)
        if gone > 0:
            left[each.name] -= gone
            spare -= gone
    return {each.name: left[each.name] for each in old if left[each.name] != each.replicas}
