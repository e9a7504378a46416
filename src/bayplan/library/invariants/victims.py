"""I7: preemption removes only what has a lower priority."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cluster.identity import DEFAULT_NAMESPACE
from bayplan.library.invariants.stored_objects import annotation_of, name_of
from bayplan.library.invariants.verdict import judged, not_judged
from bayplan.manifests.marks import PREEMPTED_BY, RECORD, WORKLOAD
from bayplan.manifests.pod_groups import GROUP_LABELS

if TYPE_CHECKING:
    from bayplan.library.invariants.stored_objects import Object, StoredObjects
    from bayplan.library.invariants.verdict import Verdict


def victims_are_lower(objects: StoredObjects) -> Verdict:
    """Every Pod that is marked as a victim has a lower priority than each Pod of the workload that takes its place."""
    victims = [each for each in objects.of("Pod") if annotation_of(each, PREEMPTED_BY) is not None]
    if not victims:
        return not_judged("no Pod is marked as the victim of a preemption")
    priorities = _priorities(objects)
    violations, compared = [], 0
    for each in victims:
        by, own = annotation_of(each, PREEMPTED_BY) or "", _priority(each)
        if by in priorities:
            compared += 1
            if own >= (least := priorities[by]):
                violations.append(f"{name_of(each)}: has priority {own} and makes room for {by} of priority {least}")
    return judged(violations) if compared else not_judged("no workload that takes the place of a victim is stored")


def _priorities(objects: StoredObjects) -> dict[str, int]:
    """By NAMESPACE/NAME of a workload, and by the record of its decision, the lowest priority of its Pods."""
    found: dict[str, int] = {}
    for pod in objects.of("Pod"):
        metadata = pod["metadata"]
        labels = metadata.get("labels") or {}
        names = {metadata["name"], *(labels[key] for key in (WORKLOAD, *GROUP_LABELS) if labels.get(key))}
        keys = {f"{metadata.get('namespace') or DEFAULT_NAMESPACE}/{name}" for name in names}
        for key in keys | {annotation_of(pod, RECORD) or ""} - {""}:
            found[key] = min(found.get(key, _priority(pod)), _priority(pod))
    return found


def _priority(pod: Object) -> int:
    priority = pod["spec"].get("priority")
    return priority if isinstance(priority, int) else 0
