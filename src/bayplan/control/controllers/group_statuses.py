"""Statuses of PodGroups and PodDisruptionBudgets, which choose Pods by their labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.control.collections import DISRUPTION_BUDGETS, POD_GROUPS, PODS
from bayplan.control.controllers.references import controller_reference, key_of, owner_key
from bayplan.control.controllers.selectors import selects
from bayplan.control.controllers.status_controller import StatusController, StatusKind
from bayplan.control.resources.registry import REGISTRY
from bayplan.control.resources.scaling import scale_of
from bayplan.control.store import Key
from bayplan.library.status.conditions import holds
from bayplan.library.status.disruption_budget import disruption_budget_status
from bayplan.library.status.documents import number, part
from bayplan.library.status.pod_facts import facts_of
from bayplan.library.status.pod_group import pod_group_status, timeout_s
from bayplan.manifests.pod_groups import GROUP_LABELS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.control.cache import Cache, Seen
    from bayplan.control.controllers.labelled_pods import LabelledPods
    from bayplan.control.controllers.world import World
    from bayplan.control.store import Object

GROUPS = GROUP_LABELS
"""The labels by which Pods name their group."""


def pod_group_controller(world: World, members: LabelledPods) -> StatusController:
    """The loop for PodGroups."""

    def status(group: Object, now: float) -> Object:
        metadata = group["metadata"]
        minimum = number(part(group, "spec").get("minMember"), 1)
        return pod_group_status(group, members.of(metadata["namespace"], metadata["name"]), minimum, now)

    def wrote(before: Object, after: Object) -> None:
        if holds(after, "TimedOut") and not holds(before, "TimedOut"):
            message = "the group has waited for more than 48 hours"
            world.events.tell(after, "Warning", "Timeout", message)

    made = StatusController(StatusKind(POD_GROUPS, status, timeout_s, wrote), world)
    members.listen(lambda namespace, name: _wake(made, world.cache, Key(POD_GROUPS, namespace, name)))
    return made


def _wake(controller: StatusController, cache: Cache, key: Key) -> None:
    if cache.get(key) is not None:
        controller.add(key)


def disruption_budget_controller(world: World) -> StatusController:
    """The loop for PodDisruptionBudgets."""
    cache = world.cache

    def status(budget: Object, now: float) -> Object:
        selector = part(budget, "spec", "selector")
        chosen = [each for each in cache.all(PODS, budget["metadata"]["namespace"]) if selects(selector, _labels(each))]
        facts = [(pod, facts_of(pod)) for pod in chosen]
        live = [pod for pod, each in facts if each.live]
        healthy = sum(each.ready for _, each in facts)
        return disruption_budget_status(budget, healthy, expected_pods(live, cache), now)

    made = StatusController(StatusKind(DISRUPTION_BUDGETS, status), world)

    def seen(change: Seen) -> None:
        for budget in cache.all(DISRUPTION_BUDGETS, change.key.namespace):
            selector = part(budget, "spec", "selector")
            if any(selects(selector, _labels(each)) for each in (change.old, change.new) if each is not None):
                made.add(key_of(DISRUPTION_BUDGETS, budget))

    cache.listen(PODS, seen)
    return made


def expected_pods(pods: list[Object], cache: Cache) -> int:
    """How many Pods there should be: their controllers say it; a Pod without one counts as itself."""
    alone, owned = 0, dict[tuple[str, str, str], int]()
    for pod in pods:
        owner = controller_reference(pod)
        if owner is None:
            alone += 1
        else:
            key = (str(owner.get("apiVersion")), str(owner.get("kind")), str(owner.get("name")))
            owned[key] = owned.get(key, 0) + 1
    return alone + sum(_wanted(key, count, pods[0]["metadata"]["namespace"], cache) for key, count in owned.items())


def _wanted(owner: tuple[str, str, str], count: int, namespace: str, cache: Cache) -> int:
    """The replicas that a controller asks for; those that it has, where it is not known or has no scale."""
    api_version, kind, name = owner
    resource = REGISTRY.of_document(api_version, kind)
    key = owner_key({"apiVersion": api_version, "kind": kind, "name": name}, namespace)
    if resource is None or key is None or resource.subresource("scale") is None:
        return count
    try:
        document = cache.get(key)
    except KeyError:  # a collection that nobody follows
        return count
    return count if document is None else int(scale_of(resource, document)["spec"]["replicas"])


def _labels(pod: Mapping[str, Any]) -> dict[str, str]:
    return pod["metadata"].get("labels") or {}
