"""Taints of workers and tolerations of workloads, with the rules of Kubernetes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable


class TaintEffect(StrEnum):
    """What a taint does to a workload that does not tolerate it."""

    NO_SCHEDULE = "NoSchedule"
    PREFER_NO_SCHEDULE = "PreferNoSchedule"
    NO_EXECUTE = "NoExecute"


@dataclass(frozen=True, slots=True)
class Taint:
    """Keeps work away from a worker."""

    key: str
    effect: TaintEffect
    value: str = ""

    def __str__(self) -> str:
        return f"{self.key}={self.value}:{self.effect}" if self.value else f"{self.key}:{self.effect}"


@dataclass(frozen=True, slots=True)
class Toleration:
    """Allows a workload on a tainted worker; without a key it tolerates every taint, without an effect every effect."""

    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: TaintEffect | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        if self.operator not in ("Equal", "Exists"):
            raise InputError(
                f"no operator is called {self.operator!r}",
                place="operator",
                next="use Equal or Exists",
            )
        if not self.key and self.operator != "Exists":
            raise InputError(
                "a toleration without a key must have the operator Exists",
                place="key",
                next="name a key, or write operator: Exists",
            )
        if self.operator == "Exists" and self.value:
            raise InputError(
                f"Exists takes no value, {self.value!r} is given",
                place="value",
                next="leave the value out, or write operator: Equal",
            )

    def tolerates(self, taint: Taint) -> bool:
        """Whether a workload with this toleration may ignore this taint."""
        if self.effect is not None and self.effect != taint.effect:
            return False
        if self.key and self.key != taint.key:
            return False
        return self.operator == "Exists" or self.value == taint.value


def repelling(taints: Iterable[Taint], tolerations: Iterable[Toleration]) -> tuple[Taint, ...]:
    """The taints that exclude a worker: not tolerated, and stronger than PreferNoSchedule."""
    held = tuple(tolerations)
    return tuple(
        taint
        for taint in taints
        if taint.effect != TaintEffect.PREFER_NO_SCHEDULE and not any(each.tolerates(taint) for each in held)
    )
