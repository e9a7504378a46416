"""The answers of the library about the cluster in the store; each is worked out in a thread beside the server's."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from bayplan.api.status import Refusal
from bayplan.api.verbs.asked import asked_documents, bound_of
from bayplan.api.verbs.inventory import cluster_documents, is_served_model, server_documents, with_names
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
        options = self._configured(_options(body, {"workloads", *_OPTIONS}, _OPTIONS), workloads)
        cluster = await self._cluster(about=workloads)
        return await self._worked_out(lambda: plan(workloads, cluster, **options))

    async def why(
        self, key: Key, worker: str, *, changes: bool, shown: tuple[str, ...] | None = None
    ) -> dict[str, Any]:
        """Why an object of the store has no place, or why it has the one it has.

        With `shown`, workloads of other namespaces have no names in the answer.
        """
        document = (await self._backend.store.get(key)).document()
        asked = await asked_documents(self._backend.store, document)
        cluster = await self._cluster(without=document, about=asked.documents)
        wanted = {"worker": worker or None, "changes": changes, "shown": shown}
        options = self._configured(wanted, asked.documents)
        found = await self._worked_out(lambda: why(asked.documents, cluster, **options))
        return {**found, "object": asked.object, "bound": bound_of(document)}

    async def why_workloads(self, body: dict[str, Any]) -> dict[str, Any]:
        """`{workloads: […], worker, workload, config, seed, now}`: the same of objects that are not stored."""
        workloads = _workloads(body)
        options = self._configured(_options(body, {"workloads", *_OF_WHY}, _OF_WHY), workloads)
        cluster = await self._cluster(about=workloads)
        return await self._worked_out(lambda: why(workloads, cluster, **options))

    async def gpus(self, *, holders: bool) -> dict[str, Any]:
        cluster = await self._cluster()
        return await self._worked_out(lambda: gpus(cluster, holders=holders))

    async def ledger(self) -> dict[str, Any]:
        """Who holds what: the bookings, as a Cluster file has them."""
        cluster = await self._cluster()
        found = await self._worked_out(lambda: as_document(read_inventory(cluster)))
        return {"kind": "Ledger", "bookings": found.get("bookings", []), "warnings": found["warnings"]}

    def _configured(self, options: dict[str, Any], about: Any) -> dict[str, Any]:
        """By the configuration of placement that is in effect, unless the question brings one or is about Models."""
        control = self._backend.control
        if control is None or all(map(is_served_model, _listed(about))):
            return options
        return {"config": control.records.config, **options}

    async def _cluster(self, *, without: Object | None = None, about: Any = ()) -> list[Document]:
        """The cluster, without an object that is asked about itself; for Models with their servers."""
        found = await cluster_documents(self._backend.store, self._backend.registry)
        found += await server_documents(self._backend.store, _listed(about))
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


def _listed(workloads: Any) -> list[Any]:
    return workloads if isinstance(workloads, list) else [workloads]


def _options(body: dict[str, Any], known: set[str], names: tuple[str, ...]) -> dict[str, Any]:
    if unknown := sorted(set(body) - known):
        raise Refusal(400, f"{unknown[0][:40]}: is not known; send {', '.join(sorted(known))}")
    return {name: body[name] for name in names if name in body}


def _same(one: Object, other: Object) -> bool:
    uid = other["metadata"].get("uid")
    return uid is not None and one["metadata"].get("uid") == uid
