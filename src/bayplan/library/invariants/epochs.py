"""I4: no Pod is bound by a scheduler that was no longer the leader."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.library.invariants.stored_objects import annotation_of, name_of, number_in
from bayplan.library.invariants.verdict import judged, not_judged
from bayplan.manifests.marks import EPOCH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.library.invariants.stored_objects import StoredObjects
    from bayplan.library.invariants.verdict import Verdict


def no_deposed_binds(objects: StoredObjects) -> Verdict:
    """Epochs of Pods are numbers that some leader had: none is larger than the present one, which the Lease says.

    Whether a bind of an earlier epoch came before the next leader began cannot be seen in the objects of one moment.
    """
    bound = [each for each in objects.bound_pods if annotation_of(each, EPOCH) is not None]
    if not bound:
        return not_judged("no bound Pod says under which leader it was bound")
    epochs = [number for each in objects.of("Lease") if (number := number_in(each, EPOCH)) is not None]
    if not epochs:
        return not_judged(f"no Lease has the annotation {EPOCH}, which says the present epoch")
    return judged(_wrong(objects, max(epochs)))


def _wrong(objects: StoredObjects, present: int) -> Iterator[str]:
    for pod in objects.bound_pods:
        said = annotation_of(pod, EPOCH)
        epoch = number_in(pod, EPOCH)
        if said is not None and epoch is None:
            yield f"{name_of(pod)}: its epoch {said[:40]!r} is no number"
        elif epoch is not None and epoch > present:
            yield f"{name_of(pod)}: was bound in epoch {epoch}, the present one is {present}"
