"""Servers: each has a StatefulSet that makes its Pods, and a ServerReplica for each of them.

A replica that is too many is drained first: its models move, and then its Pod goes.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from bayplan.control.clock import moment_text, seconds_of
from bayplan.control.collections import SERVER_CONFIGS, SERVER_REPLICAS, SERVERS, STATEFUL_SETS
from bayplan.control.controllers.references import controlled_by, controller_reference, is_leaving, key_of
from bayplan.control.reconciler import Reconciler
from bayplan.control.serving.drains import LIMIT_S, may_go
from bayplan.control.serving.server_wish import config_of, server_wish
from bayplan.control.store import Deletion, Key
from bayplan.control.store_errors import AlreadyExistsError, NotFoundError, StaleError
from bayplan.framework.errors import InputError
from bayplan.library.status.documents import number, part
from bayplan.manifests.marks import DRAINED_FOR, SERVER

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.control.cache import Seen
    from bayplan.control.controllers.owned_objects import OwnedObjects
    from bayplan.control.controllers.world import World
    from bayplan.control.serving.server_wish import ServerWish
    from bayplan.control.store import Object

FINALIZER = "seldon.server.finalizer"
_LOOK_S = 5.0  # between two looks at a replica that drains; changes of its bookings are heard of at once


class ServerController:
    """The loop for Servers."""

    def __init__(self, world: World, rows: OwnedObjects, sets: OwnedObjects) -> None:
        self._world, self._rows, self._sets = world, rows, sets
        self._keys: Reconciler[Key] = Reconciler(str(SERVERS), self._reconcile, observer=world.observer)
        world.cache.listen(SERVERS, self._seen)
        world.cache.listen(SERVER_CONFIGS, self._config_seen)
        rows.listen(self._wake)
        sets.listen(self._wake)

    def start(self) -> None:
        self._keys.start()

    async def stop(self) -> None:
        await self._keys.stop()

    async def settled(self) -> None:
        await self._keys.settled()

    def _seen(self, seen: Seen) -> None:
        self._keys.add(seen.key)

    def _wake(self, owner: Key) -> None:
        if owner.collection == SERVERS:
            self._keys.add(owner)

    def _config_seen(self, seen: Seen) -> None:
        for each in self._world.cache.all(SERVERS):
            if part(each, "spec").get("serverConfig") == seen.key.name:
                self._keys.add(key_of(SERVERS, each))

    async def _reconcile(self, key: Key) -> float | None:
        server = self._world.cache.get(key)
        if server is None:
            return None
        try:
            wish = server_wish(server, self._world.cache.all(SERVER_CONFIGS))
        except InputError as error:
            self._world.events.tell(server, "Warning", "Invalid", str(error))
            return None
        rows = {number(part(each, "spec").get("index")): each for each in self._rows.of(server["metadata"]["uid"])}
        if not is_leaving(server):
            await self._protect(server, wish)
            await self._make_rows(server, wish, rows)
        await self._drain(wish, rows)
        kept = self._kept(wish, rows)
        if is_leaving(server):
            return await self._end(server, kept)
        await self._size(server, wish, kept)
        for index in [each for each in rows if each >= kept]:
            await self._remove(rows[index])
        return None if kept == wish.replicas else _LOOK_S

    async def _protect(self, server: Object, wish: ServerWish) -> None:
        """A Server with replicas stays stored until they are drained."""
        finalizers = server["metadata"].get("finalizers") or []
        if wish.replicas and FINALIZER not in finalizers:
            await self._patch(server, _with_finalizer)

    async def _make_rows(self, server: Object, wish: ServerWish, rows: dict[int, Object]) -> None:
        for index in range(wish.replicas):
            wanted, row = wish.row(index), rows.get(index)
            if row is None:
                await self._make_row(server, wanted)
            elif _differs(row, wanted):
                await self._patch_row(row, partial(_described, wanted))

    async def _make_row(self, server: Object, spec: Object) -> None:
        metadata = {
            "name": spec["pod"],
            "namespace": server["metadata"]["namespace"],
            "labels": {SERVER: server["metadata"]["name"]},
            "ownerReferences": controlled_by(server),
        }
        document = {"apiVersion": "bayplan.io/v1alpha1", "kind": "ServerReplica", "metadata": metadata}
        row = {**spec, "draining": False, "models": []}
        try:
            self._rows.put((await self._world.store.create(SERVER_REPLICAS, {**document, "spec": row})).document())
        except AlreadyExistsError:
            message = f"the name {spec['pod']} belongs to a ServerReplica of another Server; delete that one"
            self._world.events.tell(server, "Warning", "NameTaken", message)

    async def _drain(self, wish: ServerWish, rows: dict[int, Object]) -> None:
        """Replicas that are too many drain; those that are wanted again do not."""
        now = moment_text(self._world.clock())
        for index, row in rows.items():
            drained_for = part(row, "metadata", "annotations").get(DRAINED_FOR)
            if index >= wish.replicas and drained_for is None:
                await self._patch_row(row, lambda live: _draining(live, now))
            elif index < wish.replicas and drained_for is not None:
                await self._patch_row(row, lambda live: _draining(live, None))

    def _kept(self, wish: ServerWish, rows: dict[int, Object]) -> int:
        """How many replicas there must still be: Pods go from the highest number down."""
        kept = max((wish.replicas, *(index + 1 for index in rows)))
        while kept > wish.replicas and (kept - 1 not in rows or self._is_drained(rows[kept - 1])):
            kept -= 1
        return kept

    def _is_drained(self, row: Object) -> bool:
        since = seconds_of(part(self._fresh(row), "metadata", "annotations").get(DRAINED_FOR))
        if since is None:
            return False
        if part(row, "status").get("connected") is not True:
            return True
        every = self._world.cache.all(SERVER_REPLICAS, row["metadata"]["namespace"])
        if may_go(row, every):
            return True
        if self._world.clock() - since < LIMIT_S:
            return False
        message = f"it still holds models after {LIMIT_S:g} s of draining, and goes nevertheless"
        self._world.events.tell(row, "Warning", "DrainTimedOut", message)
        return True

    def _fresh(self, row: Object) -> Object:
        """The row with what was just written to it."""
        owner = controller_reference(row)
        every = () if owner is None else self._rows.of(owner["uid"])
        return next((each for each in every if each["metadata"]["name"] == row["metadata"]["name"]), row)

    async def _end(self, server: Object, kept: int) -> float | None:
        """A Server that is being deleted goes once its replicas are drained; what it owns goes with it."""
        if kept:
            return _LOOK_S
        if FINALIZER in _finalizers(server):
            await self._patch(server, _without_finalizer)
        return None

    async def _size(self, server: Object, wish: ServerWish, replicas: int) -> None:
        """The StatefulSet with so many Pods of the present template."""
        wanted = _set_of(server, wish, replicas)
        found = next(iter(self._sets.of(server["metadata"]["uid"])), None)
        if found is None:
            if config_of(server, self._world.cache.all(SERVER_CONFIGS)) is None and not wish.server.capabilities:
                message = f"there is no ServerConfig {part(server, 'spec').get('serverConfig')!r}; apply it"
                self._world.events.tell(server, "Warning", "NoServerConfig", message)
            try:
                self._sets.put((await self._world.store.create(STATEFUL_SETS, wanted)).document())
            except AlreadyExistsError:
                message = "a StatefulSet of this name belongs to somebody else; delete or rename it"
                self._world.events.tell(server, "Warning", "NameTaken", message)
        elif any(found["spec"].get(key) != wanted["spec"][key] for key in ("replicas", "template")):
            key = key_of(STATEFUL_SETS, found)
            changed = await self._world.store.patch(key, lambda live: _resized(live, wanted))
            self._sets.put(changed.document())

    async def _remove(self, row: Object) -> None:
        try:
            await self._world.store.delete(key_of(SERVER_REPLICAS, row), Deletion(uid=row["metadata"]["uid"]))
        except (NotFoundError, StaleError):
            return

    async def _patch(self, server: Object, change: Callable[[Object], Object]) -> None:
        await self._world.store.patch(key_of(SERVERS, server), change)

    async def _patch_row(self, row: Object, change: Callable[[Object], Object]) -> None:
        self._rows.put((await self._world.store.patch(key_of(SERVER_REPLICAS, row), change)).document())


def _differs(row: Object, wanted: Object) -> bool:
    spec = part(row, "spec")
    return any(spec.get(key) != value for key, value in wanted.items()) or ("memory" in spec) != ("memory" in wanted)


def _described(wanted: Object, live: Object) -> Object:
    spec = {key: value for key, value in part(live, "spec").items() if key != "memory"}
    return {**live, "spec": {**spec, **wanted}}


def _draining(live: Object, since: str | None) -> Object:
    """Drained from a moment on, or no longer for None; one that people drain stays so."""
    notes = {key: value for key, value in part(live, "metadata", "annotations").items() if key != DRAINED_FOR}
    if since is not None:
        notes[DRAINED_FOR] = since
    live["metadata"]["annotations"] = notes
    live["spec"]["draining"] = since is not None
    return live


def _set_of(server: Object, wish: ServerWish, replicas: int) -> Object:
    name, labels = server["metadata"]["name"], {SERVER: server["metadata"]["name"]}
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {
            "name": name,
            "namespace": server["metadata"]["namespace"],
            "labels": labels,
            "ownerReferences": controlled_by(server),
        },
        "spec": {
            "replicas": replicas,
            "serviceName": name,
            "podManagementPolicy": "Parallel",
            "selector": {"matchLabels": labels},
            "template": wish.template,
        },
    }


def _resized(live: Object, wanted: Object) -> Object:
    kept = {key: wanted["spec"][key] for key in ("replicas", "template")}
    return {**live, "spec": {**part(live, "spec"), **kept}}


def _finalizers(document: Object) -> list[str]:
    return list(document["metadata"].get("finalizers") or ())


def _with_finalizer(live: Object) -> Object:
    if not is_leaving(live):
        live["metadata"]["finalizers"] = list(dict.fromkeys([*_finalizers(live), FINALIZER]))
    return live


def _without_finalizer(live: Object) -> Object:
    live["metadata"]["finalizers"] = [each for each in _finalizers(live) if each != FINALIZER]
    return live
