"""What a worker reports about its Pods: statuses, the end of deletions, and events."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from bayplan.control.collections import PODS
from bayplan.control.resources.field_checks import check_fields
from bayplan.control.resources.registry import REGISTRY
from bayplan.control.store import Deletion, Key
from bayplan.control.store_errors import NotFoundError, StaleError, StoreError
from bayplan.manifests.marks import ENDPOINT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.control.event_recorder import EventRecorder
    from bayplan.control.store import Object, Store

_POD = REGISTRY.resolve("pods")
WRITTEN = frozenset(
    {"phase", "reason", "message", "conditions", "hostIP", "podIP", "podIPs", "startTime"}
    | {"containerStatuses", "initContainerStatuses"}
)
"""Parts of a Pod's status that a worker writes; others are kept."""


class NotBoundHereError(Exception):
    """A worker speaks of a Pod that is not its own."""


class Reports:
    """Writes what workers report; each may speak of Pods that are bound to it, and of no others."""

    def __init__(self, store: Store, recorder: EventRecorder | None) -> None:
        self._store, self._recorder = store, recorder

    async def take(self, worker: str, pods: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Write the statuses of Pods; they share commits. One answer for each, in the same order."""
        return await asyncio.gather(*(self._take(worker, each) for each in pods))

    async def _take(self, worker: str, report: Mapping[str, Any]) -> dict[str, Any]:
        key = Key(PODS, report["namespace"], report["name"])
        if problem := _problem(report):
            return {"uid": report["uid"], "error": problem}
        try:
            pod = (await self._store.get(key)).document()
            _check(pod, worker, report["uid"])
            await self._write(key, pod, worker, report)
            if report.get("gone") and "deletionTimestamp" in pod["metadata"]:
                await self._store.delete(key, Deletion(grace_s=0, uid=report["uid"]))
                return {"uid": report["uid"], "gone": True}
        except (NotFoundError, NotBoundHereError):
            return {"uid": report["uid"], "gone": True}
        except StaleError:  # replaced by another Pod of the same name
            return {"uid": report["uid"], "gone": True}
        except StoreError as error:
            return {"uid": report["uid"], "error": str(error)}
        return {"uid": report["uid"]}

    async def _write(self, key: Key, pod: Object, worker: str, report: Mapping[str, Any]) -> None:
        endpoint = report.get("endpoint") or ""
        if (pod["metadata"].get("annotations") or {}).get(ENDPOINT, "") != endpoint:
            await self._store.patch(key, lambda live: _with_endpoint(_checked(live, worker, report["uid"]), endpoint))
        status = report.get("status")
        if status is not None:
            await self._store.patch(
                key, lambda live: _merged(_checked(live, worker, report["uid"]), status), subresource="status"
            )

    async def tell(self, worker: str, events: Sequence[Mapping[str, Any]]) -> None:
        """Record events about Pods of the worker; those about others are dropped."""
        recorder = self._recorder
        if recorder is None:
            return
        for each in events:
            try:
                pod = (await self._store.get(Key(PODS, each["namespace"], each["name"]))).document()
                _check(pod, worker, each["uid"])
            except (NotFoundError, NotBoundHereError):
                continue
            reason, message = str(each.get("reason")), str(each.get("message"))
            recorder.tell(pod, "Warning" if each.get("type") == "Warning" else "Normal", reason, message)


def _problem(report: Mapping[str, Any]) -> str:
    """What makes a report unusable; empty where it can be written."""
    if not isinstance(report.get("endpoint", ""), str):
        return "endpoint: must be a text"
    if report.get("status") is None:
        return ""
    causes = check_fields(_POD, {"status": report["status"]}).causes
    return f"{causes[0].path}: {causes[0].message}" if causes else ""


def _check(pod: Object, worker: str, uid: str) -> None:
    if pod["metadata"]["uid"] != uid or (pod.get("spec") or {}).get("nodeName") != worker:
        raise NotBoundHereError


def _checked(pod: Object, worker: str, uid: str) -> Object:
    _check(pod, worker, uid)
    return pod


def _with_endpoint(pod: Object, endpoint: str) -> Object:
    annotations = dict(pod["metadata"].get("annotations") or {})
    annotations.pop(ENDPOINT, None)
    if endpoint:
        annotations[ENDPOINT] = endpoint
    return {**pod, "metadata": {**pod["metadata"], "annotations": annotations}}


def _merged(pod: Object, told: Mapping[str, Any]) -> Object:
    """The status with what the worker knows; conditions of others stay."""
    status = dict(pod.get("status") or {})
    known = {key: value for key, value in told.items() if key in WRITTEN}
    own = {each.get("type") for each in known.get("conditions") or ()}
    others = [each for each in status.get("conditions") or () if each.get("type") not in own]
    for key in ("reason", "message"):
        status.pop(key, None)
    known["conditions"] = [*others, *(known.get("conditions") or ())]
    return {**pod, "status": {**status, **known}}
