"""The status of a Workload."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.library.status.conditions import conditions_of, with_conditions
from bayplan.library.status.documents import Object, generation_of, part, with_fields
from bayplan.library.status.moments import moment_text
from bayplan.library.status.replicas import OWNED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.library.status.replicas import Replicas


def workload_status(workload: Mapping[str, Any], replicas: Replicas, selector: str, now: float) -> Object:
    """The new status; fields of other writers stay."""
    return with_fields(
        part(workload, "status"),
        phase=replicas.phase.value,
        replicas=replicas.pods.live,
        readyReplicas=replicas.pods.ready,
        desiredReplicas=replicas.desired,
        selector=selector,
        observedGeneration=generation_of(workload),
        conditions=with_conditions(conditions_of(workload), replicas.conditions, OWNED, moment_text(now)),
    )
