"""The status of a Cluster: which of its workers became Nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.library.status.conditions import Condition, conditions_of, with_conditions
from bayplan.library.status.documents import Object, generation_of, part, with_fields
from bayplan.library.status.moments import moment_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_OWNED = ("Applied",)
_MOST_NAMED = 5


def cluster_status(
    cluster: Mapping[str, Any], workers: int, bookings: int, left: Sequence[str], problem: str, now: float
) -> Object:
    """The new status; `left` are workers whose Node somebody else made, `problem` says why nothing could be done."""
    if problem:
        told = Condition("Applied", False, "Invalid", problem)
    elif left:
        named = ", ".join(left[:_MOST_NAMED]) + (f" and {len(left) - _MOST_NAMED} more" * (len(left) > _MOST_NAMED))
        message = f"Nodes of these names were not made from this Cluster and stay as they are: {named}"
        told = Condition("Applied", False, "NodesLeftAlone", message)
    else:
        told = Condition("Applied", True, "Applied", f"{workers} workers and {bookings} bookings are applied")
    return with_fields(
        part(cluster, "status"),
        workers=workers,
        bookings=bookings,
        observedGeneration=generation_of(cluster) or None,
        conditions=with_conditions(conditions_of(cluster), [told], _OWNED, moment_text(now)),
    )
