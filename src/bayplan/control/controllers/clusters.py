"""Clusters: their workers become Nodes, their bookings Pods that hold them."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayplan.control.clock import moment_text
from bayplan.control.collections import CLUSTERS, NAMESPACES, NODES, PODS
from bayplan.control.controllers.declared_nodes import DeclaredNode, declaration_of
from bayplan.control.controllers.placeholders import placeholder
from bayplan.control.controllers.pod_writer import parts_of
from bayplan.control.controllers.references import controller_reference, key_of
from bayplan.control.reconciler import Reconciler
from bayplan.control.store import Deletion, Key
from bayplan.control.store_errors import AlreadyExistsError, ForbiddenError, NotFoundError, StaleError
from bayplan.framework.errors import InputError
from bayplan.library.status.cluster import cluster_status
from bayplan.manifests.fields import read_whole
from bayplan.manifests.native.cluster import collect_cluster
from bayplan.manifests.reader import Document

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from bayplan.cluster.booking import Booking
    from bayplan.control.cache import Seen
    from bayplan.control.controllers.owned_objects import OwnedObjects
    from bayplan.control.controllers.world import World
    from bayplan.control.store import Object

_IN_ONE_GO = 50  # Nodes that are worked out before others have their turn: a few milliseconds
_IGNORED = (AlreadyExistsError, NotFoundError, StaleError)  # the cache will tell who came first, and wake us


@dataclass(frozen=True, slots=True)
class _Read:
    """What a Cluster declares, or why it cannot be read."""

    nodes: tuple[DeclaredNode, ...] = ()
    bookings: tuple[Booking, ...] = ()
    problem: str = ""


class ClusterController:
    """The loop for Clusters; `runtime` says what runs the Pods of their workers (marks.RUNTIME)."""

    def __init__(self, world: World, nodes: OwnedObjects, runtime: str = "none") -> None:
        self._world, self._nodes, self._runtime = world, nodes, runtime
        self._known: dict[str, tuple[Any, _Read]] = {}
        self._told: dict[str, list[str]] = {}
        self._keys: Reconciler[Key] = Reconciler(str(CLUSTERS), self._reconcile, at_once=1, observer=world.observer)
        world.cache.listen(CLUSTERS, self._seen)
        world.cache.listen(NODES, self._node_seen)
        world.pods.listen(CLUSTERS, self._keys.add)

    def start(self) -> None:
        self._keys.start()

    async def stop(self) -> None:
        await self._keys.stop()

    async def settled(self) -> None:
        await self._keys.settled()

    def _seen(self, seen: Seen) -> None:
        self._keys.add(seen.key)
        if seen.new is None and seen.old is not None:
            self._known.pop(seen.old["metadata"]["uid"], None)
            self._told.pop(seen.old["metadata"]["uid"], None)

    def _node_seen(self, seen: Seen) -> None:
        """Nodes that go, or that somebody else made; other changes of Nodes are none of a Cluster's business."""
        if seen.new is not None and seen.old is not None:
            return
        owner = None if seen.new is None else (controller_reference(seen.new) or {}).get("uid")
        for each in self._world.cache.all(CLUSTERS):
            if each["metadata"]["uid"] != owner:
                self._keys.add(key_of(CLUSTERS, each))

    async def _reconcile(self, key: Key) -> None:
        cluster = self._world.cache.get(key)
        if cluster is None or not await self._world.writer.is_there(cluster):
            return
        read = await self._read(cluster)
        left: list[str] = []
        booked = 0
        if not read.problem:
            wanted = self._placeholders(cluster, read)
            booked = len(wanted)
            await self._hold_all(cluster, wanted)  # before Nodes are there: what is booked is never free
            left = await self._apply_nodes(cluster, read)
            await self._give_back(cluster, wanted)
        self._tell_left(cluster, left)
        await self._write_status(key, cluster, read, left, booked)

    async def _read(self, cluster: Object) -> _Read:
        metadata = cluster["metadata"]
        state = metadata.get("generation") or metadata["resourceVersion"]
        known = self._known.get(metadata["uid"])
        if known is None or known[0] != state:
            known = self._known[metadata["uid"]] = state, await self._declared(cluster)
        return known[1]

    async def _declared(self, cluster: Object) -> _Read:
        try:
            found, _ = read_whole(collect_cluster, Document(cluster, f"Cluster {cluster['metadata']['name']}"), cluster)
        except InputError as error:
            return _Read(problem=str(error))
        nodes: list[DeclaredNode] = []
        for part in parts_of(found.workers, _IN_ONE_GO):
            nodes += [DeclaredNode.of(cluster, each, self._runtime) for each in part]
            await asyncio.sleep(0)  # others want to go on, too
        return _Read(tuple(nodes), tuple(found.bookings))

    async def _apply_nodes(self, cluster: Object, read: _Read) -> list[str]:
        """Make, change and delete Nodes; the names of Nodes that somebody else made."""
        uid, cache = cluster["metadata"]["uid"], self._world.cache
        new, changed, left = [], [], []
        for each in read.nodes:
            node = cache.get(Key(NODES, "", each.name))
            if node is None:
                new.append(each)
            elif (controller_reference(node) or {}).get("uid") != uid:
                left.append(each.name)
            elif not each.holds(node):
                changed.append(each)
        wanted = {each.name for each in read.nodes}
        gone = [each for each in self._nodes.of(uid) if each["metadata"]["name"] not in wanted]
        await self._each(new, lambda node: self._world.store.create(NODES, node.document))
        await self._each(changed, self._change)
        await self._each(gone, lambda node: self._remove(NODES, node))
        return left

    async def _change(self, declared: DeclaredNode) -> None:
        key, now = Key(NODES, "", declared.name), moment_text(self._world.clock())
        before = declaration_of((await self._world.store.get(key)).document())
        await self._world.store.patch(key, declared.applied)
        await self._world.store.patch(
            key, lambda live: declared.with_status(live, before, now), subresource="status"
        )  # fmt: skip

    def _placeholders(self, cluster: Object, read: _Read) -> dict[tuple[str, str], Object]:
        """The Pods that hold its bookings, by namespace and name."""
        now, declared = moment_text(self._world.clock()), {each.name for each in read.nodes}
        wanted = {}
        again: Counter[Booking] = Counter()
        for booking in read.bookings:
            if booking.worker in declared:
                pod = placeholder(cluster, booking, again[booking], now)
                again[booking] += 1
                wanted[pod["metadata"]["namespace"], pod["metadata"]["name"]] = pod
        return wanted

    async def _hold_all(self, cluster: Object, wanted: dict[tuple[str, str], Object]) -> None:
        held = self._world.pods.of(cluster["metadata"]["uid"]).pods
        await self._make_namespaces({namespace for namespace, _ in wanted})
        await self._each([pod for place, pod in wanted.items() if place not in held], self._hold)

    async def _give_back(self, cluster: Object, wanted: dict[tuple[str, str], Object]) -> None:
        """Delete the Pods of bookings that it no longer has."""
        held = self._world.pods.of(cluster["metadata"]["uid"]).pods
        over = [pod for place, pod in held.items() if place not in wanted]
        await self._each(over, lambda pod: self._remove(PODS, pod))

    async def _hold(self, pod: Object) -> None:
        made = (await self._world.store.create(PODS, pod)).document()
        self._world.pods.assume(made, asyncio.get_running_loop().time())

    async def _make_namespaces(self, names: Iterable[str]) -> None:
        """A booking in a namespace that does not exist counts too: otherwise its cards would be given twice."""
        for name in names:
            try:
                await self._world.store.get(Key(NAMESPACES, "", name))
            except NotFoundError:
                made = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
                await self._each([made], lambda document: self._world.store.create(NAMESPACES, document))

    async def _remove(self, collection: Any, document: Object) -> None:
        deletion = Deletion(grace_s=0, uid=document["metadata"]["uid"])
        await self._world.store.delete(key_of(collection, document), deletion)

    async def _each(self, items: Iterable[Any], act: Callable[[Any], Awaitable[object]]) -> None:
        """Act on all items, many at the same time so that they share commits."""
        for part in parts_of(items):
            done = await asyncio.gather(*map(act, part), return_exceptions=True)
            for result in done:
                if isinstance(result, BaseException) and not isinstance(result, (*_IGNORED, ForbiddenError)):
                    raise result

    def _tell_left(self, cluster: Object, left: list[str]) -> None:
        uid = cluster["metadata"]["uid"]
        if left and self._told.get(uid) != left:
            message = f"{len(left)} workers are left out, because Nodes of their names were made by hand: {left[0]} …"
            self._world.events.tell(cluster, "Warning", "NodeLeftAlone", message)
        self._told[uid] = left

    async def _write_status(self, key: Key, cluster: Object, read: _Read, left: list[str], booked: int) -> None:
        now, workers = self._world.clock(), len(read.nodes) - len(left)

        def change(live: Object) -> Object:
            return {**live, "status": cluster_status(live, workers, booked, left, read.problem, now)}

        if change(cluster)["status"] != (cluster.get("status") or {}):
            await self._world.store.patch(key, change, subresource="status")
