"""Whether a store is whole and its cluster keeps what must always hold: what `bayplan doctor` asks."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from bayplan.api.verbs.inventory import cluster_documents, with_names
from bayplan.control.resources.registry import REGISTRY
from bayplan.framework.errors import BayplanError
from bayplan.library.invariants import check_invariants
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.sqlite.faults import DamagedError
from bayplan.stores.sqlite.folder import DATABASE
from bayplan.stores.sqlite.integrity import problems
from bayplan.stores.sqlite.sqlite_shelf import SqliteShelf

if TYPE_CHECKING:
    from pathlib import Path

    from bayplan.control.resources.registry import Registry
    from bayplan.control.store import Store


async def diagnose(store: Store, registry: Registry, data: Path | None) -> dict[str, Any]:
    """`{invariants, store, warnings}`; the file is checked beside the server, which goes on meanwhile."""
    cluster = with_names(await cluster_documents(store, registry))
    groups = [each.collection for each in registry.kinds if each.kind == "PodGroup"]
    gangs = [stored.document() for each in groups for stored in (await store.list(each)).items]
    file = await asyncio.to_thread(_file, data)
    try:
        found = await asyncio.to_thread(check_invariants, cluster, gangs)
    except BayplanError as error:
        found = {"invariants": [], "warnings": [f"the cluster cannot be read: {error}"]}
    return {"kind": "Diagnosis", **found, "store": file}


def diagnose_folder(folder: Path) -> dict[str, Any] | None:
    """The same of a data folder with which no server runs; None where it holds no database."""
    if not (folder / DATABASE).exists():
        return None
    file = _file(folder)
    if not file["ok"]:
        return {"kind": "Diagnosis", "invariants": [], "warnings": [], "store": file}
    return asyncio.run(_diagnose_closed(folder))


async def _diagnose_closed(folder: Path) -> dict[str, Any]:
    async with EmbeddedStore(SqliteShelf(folder)) as store:
        return await diagnose(store, REGISTRY, folder)


def _file(data: Path | None) -> dict[str, Any]:
    """What is wrong with the database; nothing of a store in memory."""
    if data is None:
        return {"ok": True, "problems": []}
    try:
        found = problems(data / DATABASE)
    except DamagedError as error:
        found = [str(error)]
    return {"ok": not found, "problems": found}
