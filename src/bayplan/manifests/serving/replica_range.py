"""How many replicas a Model or Server of Seldon asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.manifests.values import count

if TYPE_CHECKING:
    from bayplan.manifests.fields import Fields


@dataclass(frozen=True, slots=True)
class ReplicaRange:
    """How many replicas are wanted, at least and at most; the limits are None where the document gives none."""

    wanted: int
    least: int | None
    most: int | None


def read_replica_range(spec: Fields) -> ReplicaRange:
    """`replicas`, else `minReplicas` where it is above 0, else 1; a maximum of 0 is no limit."""
    wanted, least, most = (spec.read(key, count) for key in ("replicas", "minReplicas", "maxReplicas"))
    low, high = least or 0, most or None
    if high is not None and low > high:
        spec.add(f"{low} is more than maxReplicas, which is {high}", "minReplicas", next="raise one or lower the other")
    elif wanted is not None and wanted < low:
        spec.add(
            f"{wanted} is less than minReplicas, which is {low}", "replicas", next="raise it, or lower the minimum"
        )
    elif wanted is not None and high is not None and wanted > high:
        spec.add(
            f"{wanted} is more than maxReplicas, which is {high}", "replicas", next="lower it, or raise the maximum"
        )
    return ReplicaRange(low or 1 if wanted is None else wanted, least, high)
