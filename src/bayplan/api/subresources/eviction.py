"""Eviction: a Pod is deleted, unless a PodDisruptionBudget needs it, or it is moved to another node first."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson
from starlette.responses import Response

from bayplan.api.bodies import read_body
from bayplan.api.deleting import deletion_of
from bayplan.api.kind_rules.fields import label_selector, part
from bayplan.api.negotiation import JSON
from bayplan.api.status import Cause, Refusal
from bayplan.control.nodes.moves import begin_move
from bayplan.control.resources.scaling import scale_of
from bayplan.control.selection import Selection
from bayplan.control.store import Collection, Key
from bayplan.control.store_errors import NotFoundError
from bayplan.library.status.disruption_budget import needed_healthy

if TYPE_CHECKING:
    from bayplan.api.backend import Backend
    from bayplan.api.call import Call
    from bayplan.control.store import Object

BUDGETS = Collection("policy", "poddisruptionbudgets")
_FINISHED = ("Succeeded", "Failed")


class Evictions:
    """Evicts one Pod at a time: two evictions at once could both count the same healthy Pod."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()

    async def evict(self, call: Call, backend: Backend) -> Response:
        body = read_body(call.body, call.content_type) if call.body.strip() else {}
        options = body.get("deleteOptions") or {}
        if not isinstance(options, dict):
            raise Refusal(400, "deleteOptions: must be an object")
        deletion, dry_run = deletion_of(call, options)
        async with self._turn:
            pod = (await backend.store.get(call.key)).document()
            if not _is_finished(pod):
                if not call.query.dry_run and await begin_move(backend.store, pod, backend.clock()):
                    raise _moving(call)
                await _check_budgets(call, backend, pod)
            meant = replace(deletion, uid=deletion.uid or pod["metadata"]["uid"])  # the Pod that the budgets speak of
            await backend.store.delete(call.key, meant, dry_run=dry_run)
        status = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}
        return Response(orjson.dumps(status), 201, media_type=JSON)


def _moving(call: Call) -> Refusal:
    """429, after which `kubectl drain` asks again in a few seconds."""
    told = f"pod {call.path.name} is moved first: another replica is made ready, then this one goes"
    return Refusal(429, "Cannot evict pod yet: " + told, causes=[Cause("", told, "Moving")])


async def _check_budgets(call: Call, backend: Backend, pod: Object) -> None:
    page = await backend.store.list(BUDGETS, call.path.namespace)
    budgets = [each.document() for each in page.items]
    concerned = [each for each in budgets if label_selector(part(each, "spec", "selector")).matches(_labels(pod))]
    if len(concerned) > 1:
        raise Refusal(
            500, "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support"
        )
    for budget in concerned:
        pods = await backend.store.list(
            call.key.collection, call.path.namespace, Selection(label_selector(part(budget, "spec", "selector")))
        )
        live = [each for each in (stored.document() for stored in pods.items) if not _is_finished(each)]
        _check_budget(budget, live, await _expected(backend, call.path.namespace, live), pod)


async def _expected(backend: Backend, namespace: str, pods: list[Object]) -> int:
    """How many Pods there should be: their controllers say it; a Pod without one counts as itself.

    Counting the Pods alone would let a share of them shrink with every eviction.
    """
    owners = {(each.get("apiVersion", ""), each["kind"], each["name"]) for pod in pods for each in _controllers(pod)}
    expected = sum(not _controllers(pod) for pod in pods)
    for api_version, kind, name in sorted(owners):
        resource = backend.registry.of_document(api_version, kind)
        owned = sum((api_version, kind, name) in _names(pod) for pod in pods)
        try:
            if resource is None or resource.subresource("scale") is None:
                expected += owned
            else:
                owner = (await backend.store.get(Key(resource.collection, namespace, name))).document()
                expected += scale_of(resource, owner)["spec"]["replicas"]
        except NotFoundError:
            expected += owned
    return expected


def _controllers(pod: Object) -> list[dict[str, Any]]:
    return [each for each in pod["metadata"].get("ownerReferences") or () if each.get("controller")]


def _names(pod: Object) -> set[tuple[str, str, str]]:
    return {(each.get("apiVersion", ""), each["kind"], each["name"]) for each in _controllers(pod)}


def _check_budget(budget: Object, pods: list[Object], expected: int, pod: Object) -> None:
    """Refuse where too few healthy Pods would be left; a Pod that is not healthy takes nothing away from them."""
    healthy = sum(map(_is_healthy, pods))
    needed = needed_healthy(budget.get("spec") or {}, expected)
    if healthy - _is_healthy(pod) >= needed:
        return
    name = budget["metadata"]["name"]
    told = f"The disruption budget {name} needs {needed} healthy pods and has {healthy} currently"
    raise Refusal(
        429,  # without Retry-After, as in Kubernetes: libraries would wait by themselves, longer than a user asks for
        "Cannot evict pod as it would violate the pod's disruption budget.",
        causes=[Cause("", told, "DisruptionBudget")],
    )


def _labels(pod: Object) -> dict[str, str]:
    return pod["metadata"].get("labels") or {}


def _is_finished(pod: Object) -> bool:
    return (pod.get("status") or {}).get("phase") in _FINISHED


def _is_healthy(pod: Object) -> bool:
    conditions = (pod.get("status") or {}).get("conditions") or ()
    ready = any(each.get("type") == "Ready" and each.get("status") == "True" for each in conditions)
    return ready and "deletionTimestamp" not in pod["metadata"]
