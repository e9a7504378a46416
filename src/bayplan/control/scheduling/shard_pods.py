"""Pods for the further parts of replicas that span workers: made before a bind, deleted where it does not happen."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from bayplan.control.collections import PODS
from bayplan.control.scheduling.points import DeniedError
from bayplan.control.store import Deletion, Key
from bayplan.control.store_errors import AlreadyExistsError, NotFoundError, StoreError
from bayplan.manifests.marks import SHARD

if TYPE_CHECKING:
    from bayplan.control.cache import Cache, Seen
    from bayplan.control.scheduling.decision import Decision, PlacedPod
    from bayplan.control.scheduling.pod_holdings import PodName
    from bayplan.control.store import Object, Store

_log = logging.getLogger("bayplan.scheduling")


class ShardPods:
    """Knows the shards that have no place: a crash, or a disk that was full, may have left them."""

    def __init__(self, store: Store, cache: Cache) -> None:
        self._store = store
        self._unbound: dict[PodName, set[PodName]] = {}  # by the replica's first Pod
        cache.listen(PODS, self._pod_seen)

    async def make(self, decision: Decision) -> dict[PodName, str]:
        """Make the shards of a decision, and delete others of the same replicas; the uids of those that it needs."""
        needed = {each.name for each in decision.shards}
        for each in decision.pods if self._unbound else ():
            for name in self._unbound.get(each.name, set()) - needed:
                await self._delete(name)
        return {each.name: await self._made(each) for each in decision.shards}

    async def delete(self, decision: Decision) -> None:
        """A decision did not happen."""
        for each in decision.shards:
            await self._delete(each.name)

    async def _made(self, placed: PlacedPod) -> str:
        """The uid of a shard; one that is left over from an earlier try is used again, if it is of the same Pod."""
        pod = placed.shard or {}
        try:
            stored = await self._store.create(PODS, pod)
        except AlreadyExistsError:
            stored = await self._store.get(Key(PODS, *placed.name))
            if _owner(stored.document()) != _owner(pod):
                raise DeniedError(f"a Pod is called {'/'.join(placed.name)} already, and it is no part of it") from None
        return str(stored.document()["metadata"]["uid"])

    async def _delete(self, name: PodName) -> None:
        """Delete a shard that is not bound: what is bound runs."""
        key = Key(PODS, *name)
        try:
            found = await self._store.get(key)
            pod = found.document()
            if SHARD in (pod["metadata"].get("labels") or {}) and not pod["spec"].get("nodeName"):
                await self._store.delete(key, Deletion(grace_s=0, revision=found.revision))
        except NotFoundError:
            return
        except StoreError as error:
            _log.info("the shard %s is not deleted now: %s", "/".join(name), error)

    def _pod_seen(self, seen: Seen) -> None:
        name = (seen.key.namespace, seen.key.name)
        for pod in (seen.old, seen.new):
            if pod is None or not (first := (pod["metadata"].get("labels") or {}).get(SHARD)):
                continue
            whose = (name[0], first)
            if pod is seen.new and not pod["spec"].get("nodeName"):
                self._unbound.setdefault(whose, set()).add(name)
            elif whose in self._unbound:
                self._unbound[whose].discard(name)
                if not self._unbound[whose]:
                    del self._unbound[whose]


def _owner(pod: Object) -> str | None:
    """The uid of the Pod that a shard belongs to."""
    owners = pod["metadata"].get("ownerReferences") or ()
    return next((each["uid"] for each in owners if each.get("kind") == "Pod"), None)
