"""The status of a ReplicaSet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.library.status.conditions import Condition, conditions_of, with_conditions
from bayplan.library.status.documents import Object, generation_of, number, part, with_fields
from bayplan.library.status.moments import moment_text
from bayplan.library.status.pod_facts import PodState

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.library.status.pod_facts import Tally

_OWNED = ("ReplicaFailure",)


def replica_set_status(replica_set: Mapping[str, Any], pods: Tally, now: float, problem: str = "") -> Object:
    """The new status; `problem` says why Pods cannot be made."""
    live, ready = pods.live, pods.ready
    failure = [Condition("ReplicaFailure", True, "FailedCreate", problem)] if problem else []
    conditions = with_conditions(conditions_of(replica_set), failure, _OWNED, moment_text(now))
    return with_fields(
        part(replica_set, "status"),
        replicas=live,
        fullyLabeledReplicas=live,
        readyReplicas=ready,
        availableReplicas=pods.available(now, number(part(replica_set, "spec").get("minReadySeconds"))),
        terminatingReplicas=pods.state(PodState.LEAVING) or None,
        observedGeneration=generation_of(replica_set),
        conditions=conditions or None,
    )
