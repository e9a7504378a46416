"""The status of a StatefulSet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.library.status.documents import Object, generation_of, number, part, with_fields

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.library.status.pod_facts import Tally


def stateful_set_status(stateful_set: Mapping[str, Any], pods: Tally, revision: str, now: float) -> Object:
    """The new status; `revision` is that of the present template."""
    spec, old = part(stateful_set, "spec"), part(stateful_set, "status")
    desired = number(spec.get("replicas"), 1)
    updated = pods.count(lambda facts: facts.live and facts.revision == revision)
    previous = str(old.get("currentRevision") or revision)
    done = updated == desired == pods.live and pods.ready >= desired
    current = revision if done else previous
    return with_fields(
        old,
        observedGeneration=generation_of(stateful_set),
        replicas=pods.live,
        readyReplicas=pods.ready,
        availableReplicas=pods.available(now, number(spec.get("minReadySeconds"))),
        currentReplicas=pods.count(lambda facts: facts.live and facts.revision == current),
        updatedReplicas=updated,
        currentRevision=current,
        updateRevision=revision,
        collisionCount=0,
    )
