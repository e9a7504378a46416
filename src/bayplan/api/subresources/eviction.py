"""Eviction: a Pod is deleted, unless a PodDisruptionBudget needs it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import orjson
from starlette.responses import Response

from bayplan.api.bodies import read_body
from bayplan.api.kind_rules.fields import label_selector, part
from bayplan.api.negotiation import JSON
from bayplan.api.status import Cause, Refusal
from bayplan.control.resources.scaling import scale_of
from bayplan.control.selection import Selection
from bayplan.control.store import Collection, Deletion, Key
from bayplan.control.store_errors import NotFoundError

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
        async with self._turn:
            pod = (await backend.store.get(call.key)).document()
            if not _is_finished(pod):
                await _check_budgets(call, backend, pod)
            deletion = Deletion(grace_s=options.get("gracePeriodSeconds"), uid=pod["metadata"]["uid"])
            await backend.store.delete(
                call.key, deletion, dry_run=call.query.dry_run or options.get("dryRun") == ["All"]
            )
        status = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}
        return Response(orjson.dumps(status), 201, media_type=JSON)


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
    needed = _needed(budget.get("spec") or {}, expected)
    if healthy - _is_healthy(pod) >= needed:
        return
    name = budget["metadata"]["name"]
    told = f"The disruption budget {name} needs {needed} healthy pods and has {healthy} currently"
    raise Refusal(
        429,  # without Retry-After, as in Kubernetes: libraries would wait by themselves, longer than a user asks for
        "Cannot evict pod as it would violate the pod's disruption budget.",
        causes=[Cause("", told, "DisruptionBudget")],
    )


def _needed(spec: dict[str, Any], expected: int) -> int:
    """How many must stay healthy; percentages are rounded up, as Kubernetes does."""
    if "maxUnavailable" in spec:
        return max(0, expected - _share(spec["maxUnavailable"], expected))
    return _share(spec.get("minAvailable", 1), expected)


def _share(value: Any, whole: int) -> int:
    if isinstance(value, str) and value.endswith("%") and value[:-1].isdigit():
        return -(-int(value[:-1]) * whole // 100)
    return int(value) if isinstance(value, int) or (isinstance(value, str) and value.isdigit()) else whole


def _labels(pod: Object) -> dict[str, str]:
    return pod["metadata"].get("labels") or {}


def _is_finished(pod: Object) -> bool:
    return (pod.get("status") or {}).get("phase") in _FINISHED


def _is_healthy(pod: Object) -> bool:
    conditions = (pod.get("status") or {}).get("conditions") or ()
    ready = any(each.get("type") == "Ready" and each.get("status") == "True" for each in conditions)
    return ready and "deletionTimestamp" not in pod["metadata"]
