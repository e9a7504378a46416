"""A worker registers: its Node is made, or taken over where it is the same worker as before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.control.clock import moment_text
from bayplan.control.collections import NODES
from bayplan.control.nodes.conditions import READY, with_condition
from bayplan.control.store import Key
from bayplan.control.store_errors import AlreadyExistsError, NotFoundError
from bayplan.framework.errors import BayplanError
from bayplan.manifests.marks import RUNTIME, WORKER_ID

if TYPE_CHECKING:
    from bayplan.control.nodes.heartbeats import Heartbeats
    from bayplan.control.store import Object, Store

PROCESS, SIMULATED, NONE = "process", "simulated", "none"
"""The values of the label `bayplan.io/runtime`: what runs the Pods of a Node."""

HEARD = ("True", "WorkerReady", "the worker is heard")
"""Status, reason and message of the condition Ready of a worker that lives."""


class NameTakenError(BayplanError):
    """Another worker has this name, or a Node of another sort."""

    code = "name-taken"


class Registration:
    """Writes Nodes of workers. Labels, taints and cordons that users gave a Node stay."""

    def __init__(self, store: Store, heartbeats: Heartbeats, silence_s: float) -> None:
        self._store, self._heartbeats, self._silence_s = store, heartbeats, silence_s

    async def register(self, name: str, identity: str, node: Object, now_s: float) -> None:
        """Make or renew the Node; NameTakenError where it belongs to another worker that may still live."""
        key = Key(NODES, "", name)
        described = _described(name, identity, node)
        try:
            old = (await self._store.get(key)).document()
        except NotFoundError:
            try:
                await self._store.create(NODES, _ready(described, now_s))
            except AlreadyExistsError:
                raise _taken(name, "another worker has just registered under this name") from None
        else:
            self._check(name, identity, old, now_s)
            await self._store.patch(key, lambda live: _renewed(live, described))
            await self._store.patch(key, lambda live: _ready(_measured(live, described), now_s), subresource="status")
        self._heartbeats.welcome(name, identity)

    def _check(self, name: str, identity: str, old: Object, now_s: float) -> None:
        metadata = old["metadata"]
        runtime = (metadata.get("labels") or {}).get(RUNTIME, NONE)
        if runtime != PROCESS:
            message = f"there is a Node of this name whose runtime is {runtime!r}"
            raise _taken(name, message, "give the worker another --name, or delete that Node")
        if identity_of(old) in (identity, ""):
            return
        last_s = self._heartbeats.last_s(name)
        silent_s = 0.0 if last_s is None else now_s - last_s
        if silent_s < self._silence_s:
            message = f"another worker of this name may be running: it was heard {silent_s:.0f} s ago"
            raise _taken(
                name, message, f"give this one another --name, or wait until {self._silence_s:.0f} s have passed"
            )


def identity_of(node: Object | None) -> str:
    """Which worker a Node belongs to; empty where it says none."""
    return "" if node is None else str((node["metadata"].get("annotations") or {}).get(WORKER_ID, ""))


def _taken(name: str, message: str, following: str = "give this one another --name") -> NameTakenError:
    return NameTakenError(message, place=f"worker {name}", next=following)


def _described(name: str, identity: str, node: Object) -> Object:
    """The Node as the worker describes it, with what makes it a worker's."""
    metadata = node.get("metadata") or {}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {**(metadata.get("labels") or {}), RUNTIME: PROCESS},
            "annotations": {**(metadata.get("annotations") or {}), WORKER_ID: identity},
        },
        "spec": node.get("spec") or {},
        "status": node.get("status") or {},
    }


def _renewed(live: Object, described: Object) -> Object:
    metadata = dict(live["metadata"])
    for part in ("labels", "annotations"):
        metadata[part] = {**(metadata.get(part) or {}), **described["metadata"][part]}
    return {**live, "metadata": metadata}


def _measured(live: Object, described: Object) -> Object:
    """The Node with the amounts of the worker, and with the conditions that others wrote."""
    kept = (live.get("status") or {}).get("conditions") or []
    return {**live, "status": {**(live.get("status") or {}), **described["status"], "conditions": kept}}


def _ready(node: Object, now_s: float) -> Object:
    status, reason, message = HEARD
    condition = {"type": READY, "status": status, "reason": reason, "message": message}
    return with_condition(node, condition, moment_text(now_s))
