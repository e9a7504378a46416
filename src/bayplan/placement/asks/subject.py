"""Who asks: the replica that a decision is about."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from bayplan.cluster.identity import DEFAULT_NAMESPACE, ReplicaKey
from bayplan.placement.asks.siblings import ALONE, Siblings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.framework.cycle import Key

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """One replica of a workload: who asks.

    `constraints` says how the constraints of the whole workload stand when it asks, each under the key of its file in
    `placement/constraints`; a constraint that is not there does not apply.
    """

    workload: str
    replica: int = 0
    priority: int = 0
    gang: str | None = None
    siblings: Siblings = ALONE
    namespace: str = DEFAULT_NAMESPACE
    constraints: Mapping[Key[Any], Any] = field(default_factory=dict)

    def constraint(self, key: Key[T]) -> T | None:
        """How a constraint stands; None where it does not apply."""
        return self.constraints.get(key)

    def __str__(self) -> str:
        return str(ReplicaKey(self.namespace, self.workload, self.replica))
