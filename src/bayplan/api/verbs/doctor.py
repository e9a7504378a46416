"""Whether a store is whole and its cluster keeps what must always hold: what `bayplan doctor` asks."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from bayplan.control.resources.registry import REGISTRY
from bayplan.control.scheduling.ledger_drift import ledger_drift
from bayplan.library.invariants.checks import INVARIANTS, check_invariants
from bayplan.library.invariants.stored_objects import KINDS
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.moment import objects_at_once
from bayplan.stores.sqlite.faults import DamagedError
from bayplan.stores.sqlite.folder import DATABASE
from bayplan.stores.sqlite.integrity import problems
from bayplan.stores.sqlite.sqlite_shelf import SqliteShelf

if TYPE_CHECKING:
    from pathlib import Path

    from bayplan.control.resources.registry import Registry
    from bayplan.control.scheduling.live_cluster import LiveCluster
    from bayplan.control.store import Store

_DAMAGED = "the store is damaged"


async def diagnose(
    store: Store, registry: Registry, data: Path | None, live: LiveCluster | None = None
) -> dict[str, Any]:
    """`{invariants, cluster, store, warnings}`; the file is checked beside the server, which goes on meanwhile.

    Where a scheduler runs on the store, I13 is judged of its ledger too.
    """
    wanted = [each.collection for each in registry.kinds if each.stored and each.kind in KINDS]
    objects = await objects_at_once(store, wanted)
    file = await asyncio.to_thread(_file, data)
    found = await asyncio.to_thread(check_invariants, objects)
    if live is not None and (drift := await ledger_drift(live)):
        for each in found["invariants"]:
            if each["id"] == "I13":
                each.update(ok=False, violations=[*each["violations"], *drift])
    return {"kind": "Diagnosis", **found, "store": file}


def diagnose_folder(folder: Path) -> dict[str, Any] | None:
    """The same of a data folder with which no server runs; None where it holds no database."""
    if not (folder / DATABASE).exists():
        return None
    file = _file(folder)
    return asyncio.run(_diagnose_closed(folder)) if file["ok"] else _unreadable(file)


async def _diagnose_closed(folder: Path) -> dict[str, Any]:
    async with EmbeddedStore(SqliteShelf(folder)) as store:
        return await diagnose(store, REGISTRY, folder)


def _unreadable(file: dict[str, Any]) -> dict[str, Any]:
    """A diagnosis that stops at the file: nothing is said about objects that cannot be trusted."""
    unknown: dict[str, Any] = {"ok": None, "violations": [], "reason": _DAMAGED}
    return {
        "kind": "Diagnosis",
        "invariants": [{"id": each.id, "says": each.says, **unknown} for each in INVARIANTS],
        "cluster": {"ok": None, "problems": []},
        "warnings": [],
        "store": file,
    }


def _file(data: Path | None) -> dict[str, Any]:
    """What is wrong with the database; nothing of a store in memory."""
    if data is None:
        return {"ok": True, "problems": []}
    try:
        found = problems(data / DATABASE)
    except DamagedError as error:
        found = [str(error)]
    return {"ok": not found, "problems": found}
