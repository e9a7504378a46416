"""ServerReplicas whose Pods are bound to a worker: what the worker is told of them, and what it tells."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from bayplan.control.collections import PODS, SERVER_REPLICAS
from bayplan.control.nodes.reports import NotBoundHereError
from bayplan.control.resources.field_checks import check_fields
from bayplan.control.resources.registry import REGISTRY
from bayplan.control.store import ChangeType, Key
from bayplan.control.store_errors import NotFoundError, StoreError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

    from bayplan.control.store import Object, Store

_REPLICA = REGISTRY.resolve("serverreplicas")


class ServerReplicas:
    """A worker reads and reports about the server replicas that it runs, and about no others."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def watch(self, worker: str) -> AsyncIterator[dict[str, Any]]:
        """First `{type: LIST, items}` with all of them, then each that changes (CHANGED) or is gone (DELETED).

        A Pod that is bound later than its ServerReplica last changed is not noticed: the worker, which sees its Pods,
        asks again when it gets one.
        """
        page = await self._store.list(SERVER_REPLICAS)
        documents = [each.document() for each in page.items]
        own = [each for each in documents if await self._is_bound(worker, each)]
        known = {each["metadata"]["uid"] for each in own}
        yield {"type": "LIST", "items": own}
        async for change in self._store.watch(SERVER_REPLICAS, since=page.revision, bookmarks=True):
            if change.type is ChangeType.BOOKMARK:
                yield {"type": "BOOKMARK"}
                continue
            document = change.stored.document()
            uid = document["metadata"]["uid"]
            if change.type is not ChangeType.DELETED and await self._is_bound(worker, document):
                known.add(uid)
                yield {"type": "CHANGED", "object": document}
            elif uid in known:
                known.discard(uid)
                yield {"type": "DELETED", "object": document}

    async def take(self, worker: str, reports: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Write the statuses of server replicas; one answer for each, in the same order."""
        return await asyncio.gather(*(self._take(worker, each) for each in reports))

    async def _take(self, worker: str, report: Mapping[str, Any]) -> dict[str, Any]:
        uid, status = report["uid"], report.get("status")
        causes = check_fields(_REPLICA, {"status": status}).causes
        if causes:
            return {"uid": uid, "error": f"{causes[0].path}: {causes[0].message}"}
        key = Key(SERVER_REPLICAS, report["namespace"], report["name"])

        def changed(live: Object) -> Object:
            if live["metadata"]["uid"] != uid:
                raise NotBoundHereError
            return {**live, "status": status}

        try:
            if not await self._is_bound(worker, (await self._store.get(key)).document()):
                raise NotBoundHereError  # noqa: TRY301 (one place for all that are not its own)
            await self._store.patch(key, changed, subresource="status", intact=True)
        except (NotFoundError, NotBoundHereError):
            return {"uid": uid, "gone": True}
        except StoreError as error:
            return {"uid": uid, "error": str(error)}
        return {"uid": uid}

    async def _is_bound(self, worker: str, replica: Object) -> bool:
        """Whether the Pod of a server replica is bound to a worker."""
        name = (replica.get("spec") or {}).get("pod")
        if not name:
            return False
        try:
            pod = (await self._store.get(Key(PODS, replica["metadata"]["namespace"], str(name)))).document()
        except NotFoundError:
            return False
        return bool((pod.get("spec") or {}).get("nodeName") == worker)
