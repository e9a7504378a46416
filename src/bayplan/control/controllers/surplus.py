"""Which Pods go when there are more than wanted: Pods without a place first, then in the planner's order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.library.status.pod_facts import PodState

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bayplan.cluster.identity import WorkloadKey
    from bayplan.control.controllers.world import Removals
    from bayplan.control.store import Object
    from bayplan.library.status.pod_facts import PodFacts

_FURTHEST = {PodState.WAITING: 0, PodState.STARTING: 1, PodState.RUNNING: 2}


def surplus(
    live: Iterable[tuple[Object, PodFacts]], count: int, workload: WorkloadKey, removals: Removals, *, whole: bool
) -> tuple[list[Object], dict[str, str]]:
    """The Pods to delete, `count` of the live ones, and reasons by name for those that the planner chose.

    `whole`: the live Pods are all Pods of the workload. Else the planner is asked for its whole order, because it knows
    nothing of roles and revisions.
    """
    ordered = sorted(live, key=_first)
    waiting = [pod for pod, facts in ordered if facts.state is PodState.WAITING][:count]
    missing = count - len(waiting)
    if not missing:
        return waiting, {}
    bound = {_place(pod): pod for pod, facts in ordered if facts.state is not PodState.WAITING}
    asked = removals(workload, missing if whole else len(bound) + count)
    told = {place: reason for *place_, reason in asked if (place := tuple(place_)) in bound}
    chosen = [bound[place] for place in [*told, *(each for each in bound if each not in told)][:missing]]
    return [*waiting, *chosen], {pod["metadata"]["name"]: why for pod in chosen if (why := told.get(_place(pod)))}


def _first(entry: tuple[Object, PodFacts]) -> tuple[int, int, Sequence[int]]:
    """Pods that have come least far, then Pods that are not ready, then the youngest."""
    pod, facts = entry
    created = [-ord(letter) for letter in pod["metadata"].get("creationTimestamp", "")]
    return _FURTHEST.get(facts.state, 0), int(facts.ready), created


def _place(pod: Object) -> tuple[str, ...]:
    return pod["metadata"].get("namespace", ""), pod["metadata"]["name"]
