"""The answers of the library about the cluster in the store; each is worked out in a thread beside the server's."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from bayplan.api.status import Refusal
from bayplan.api.verbs.asked import asked_documents, bound_of
from bayplan.api.verbs.inventory import cluster_documents, with_names
from bayplan.framework.errors import BayplanError
from bayplan.library.gpus import gpus
from bayplan.library.plan import plan
from bayplan.library.read_cluster import as_document
from bayplan.library.why import why
from bayplan.manifests.inventory.inventory import read_inventory

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.api.backend import Backend
    from bayplan.control.store import Key, Object
    from bayplan.manifests.reader import Document

_AT_ONCE = 2
"""Questions that are worked out at the same time: each takes a core, and the server needs one too."""
_DEADLINE_S = 60.0
_OPTIONS = ("config", "seed", "now", "order")
_OF_WHY = ("config", "seed", "now", "worker", "workload")


class Answers:
    """Plans and explanations over the objects of the store."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._turns = asyncio.Semaphore(_AT_ONCE)

    async def plan(self, body: dict[str, Any]) -> dict[str, Any]:
        """`{workloads: […], config, seed, now, order}`: a Plan or a PlanList; nothing is reserved."""
        workloads = _workloads(body)
        options = self._configured(_options(body, {"workloads", *_OPTIONS}, _OPTIONS))
        cluster = await self._cluster()
        return await self._worked_out(lambda: plan(workloads, cluster, **options))

    async def why(
        self, key: Key, worker: str, *, changes: bool, shown: tuple[str, ...] | None = None
    ) -> dict[str, Any]:
        """Why an object of the store has no place, or why it has the one it has.

        With `shown`, workloads of other namespaces have no names in the answer.
        """
        document = (await self._backend.store.get(key)).document()
        asked = await asked_documents(self._backend.store, document)
        cluster = await self._cluster(without=document)
        options = self._configured({"worker": worker or None, "changes": changes, "shown": shown})
        found = await self._worked_out(lambda: why(asked.documents, cluster, **options))
        return {**found, "object": asked.object, "bound": bound_of(document)}

    async def why_workloads(self, body: dict[str, Any]) -> dict[str, Any]:
        """`{workloads: […], worker, workload, config, seed, now}`: the same of objects that are not stored."""
        workloads = _workloads(body)
        options = self._configured(_options(body, {"workloads", *_OF_WHY}, _OF_WHY))
        cluster = await self._cluster()
        return await self._worked_out(lambda: why(workloads, cluster, **options))

    async def gpus(self, *, holders: bool) -> dict[str, Any]:
        cluster = await self._cluster()
        return await self._worked_out(lambda: gpus(cluster, holders=holders))

    async def ledger(self) -> dict[str, Any]:
        """Who holds what: the bookings, as a Cluster file has them."""
        cluster = await self._cluster()
        found = await self._worked_out(lambda: as_document(read_inventory(cluster)))
        return {"kind": "Ledger", "bookings": found.get("bookings", []), "warnings": found["warnings"]}

    def _configured(self, options: dict[str, Any]) -> dict[str, Any]:
        """By the configuration that is in effect, unless the question brings one."""
        control = self._backend.control
        return options if control is None else {"config": control.records.config, **options}

    async def _cluster(self, *, without: Object | None = None) -> list[Document]:
        """The cluster, without an object that is asked about itself."""
        found = await cluster_documents(self._backend.store, self._backend.registry)
        return with_names(each for each in found if without is None or not _same(each, without))

    async def _worked_out(self, work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        async with self._turns:
            try:
                async with asyncio.timeout(_DEADLINE_S):
                    return await asyncio.to_thread(work)
            except TimeoutError:
                message = f"the answer took longer than {_DEADLINE_S:g} s; ask about fewer workloads"
                raise Refusal(504, message) from None
            except BayplanError as error:
                raise Refusal(422, str(error), "Invalid", details={"bayplan": error.as_dict()}) from None


def _workloads(body: dict[str, Any]) -> Any:
    workloads = body.get("workloads")
    if not isinstance(workloads, list | dict) or not workloads:
        raise Refusal(400, 'workloads: is required; send {"workloads": [OBJECT, …]}')
    return workloads


def _options(body: dict[str, Any], known: set[str], names: tuple[str, ...]) -> dict[str, Any]:
    if unknown := sorted(set(body) - known):
        raise Refusal(400, f"{unknown[0][:40]}: is not known; send {', '.join(sorted(known))}")
    return {name: body[name] for name in names if name in body}


def _same(one: Object, other: Object) -> bool:
    return bool(one["metadata"].get("uid") == other["metadata"].get("uid"))
