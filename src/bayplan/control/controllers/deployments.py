"""Deployments: one ReplicaSet for each template, and a step-by-step move to the present one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.control.collections import DEPLOYMENTS, REPLICA_SETS
from bayplan.control.controllers.references import controlled_by, is_leaving, key_of
from bayplan.control.controllers.rollout import SetState, Strategy, next_step
from bayplan.control.controllers.selectors import selects
from bayplan.control.controllers.wish import digest_of, plain
from bayplan.control.reconciler import Reconciler
from bayplan.control.store import Deletion, Key
from bayplan.control.store_errors import AlreadyExistsError, ForbiddenError, NotFoundError, StaleError
from bayplan.library.status.documents import number, part
from bayplan.library.status.pod_facts import ENDED
from bayplan.manifests.owners import TEMPLATE_HASH

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.control.cache import Seen
    from bayplan.control.controllers.owned_objects import OwnedObjects
    from bayplan.control.controllers.world import World
    from bayplan.control.store import Object
    from bayplan.library.status.pod_facts import Tally

REVISION = "deployment.kubernetes.io/revision"
_CHANGE_CAUSE = "kubernetes.io/change-cause"


class DeploymentController:
    """The loop for Deployments."""

    def __init__(self, world: World, sets: OwnedObjects) -> None:
        self._world, self._sets = world, sets
        self._keys: Reconciler[Key] = Reconciler(str(DEPLOYMENTS), self._reconcile, observer=world.observer)
        world.cache.listen(DEPLOYMENTS, self._seen)
        sets.listen(self._set_changed)
        sets.listen_to_orphans(self._orphan_seen)
        world.pods.listen(REPLICA_SETS, self._pods_changed)

    def start(self) -> None:
        self._keys.start()

    async def stop(self) -> None:
        await self._keys.stop()

    async def settled(self) -> None:
        await self._keys.settled()

    def _seen(self, seen: Seen) -> None:
        self._keys.add(seen.key)

    def _set_changed(self, owner: Key) -> None:
        if owner.collection == DEPLOYMENTS:
            self._keys.add(owner)

    def _pods_changed(self, replica_set: Key) -> None:
        if (owner := deployment_of(self._world.cache.get(replica_set))) is not None:
            self._keys.add(owner)

    def _orphan_seen(self, replica_set: Object) -> None:
        metadata = replica_set["metadata"]
        for each in self._world.cache.all(DEPLOYMENTS, metadata["namespace"]):
            if selects(part(each, "spec", "selector"), part(metadata, "labels")):
                self._keys.add(key_of(DEPLOYMENTS, each))

    async def _reconcile(self, key: Key) -> float | None:
        deployment = self._world.cache.get(key)
        if deployment is None or is_leaving(deployment):
            return None
        await self._adopt(deployment)
        owned = sorted(self._sets.of(deployment["metadata"]["uid"]), key=_age)
        new = new_set(deployment, owned)
        spec = part(deployment, "spec")
        if spec.get("paused"):
            await self._scale_paused(deployment, owned, new)
            return None
        if new is None:
            new = await self._create(deployment, owned)
            if new is None:
                return None
        old = [each for each in owned if each["metadata"]["uid"] != new["metadata"]["uid"]]
        new = await self._number(deployment, new, old)
        now = self._world.clock()
        desired = number(spec.get("replicas"), 1)
        step = next_step(desired, Strategy.of(spec), self._state(new, now), [self._state(each, now) for each in old])
        await self._scale(deployment, [new, *old], step)
        await self._forget_old(deployment, old)
        return self._next_available_s([new, *old], now)

    async def _adopt(self, deployment: Object) -> None:
        for each in self._sets.orphans(deployment["metadata"]["namespace"]):
            labels = part(each, "metadata", "labels")
            if not is_leaving(each) and selects(part(deployment, "spec", "selector"), labels):
                await self._patch(each, lambda live: _adopted(live, deployment))

    async def _create(self, deployment: Object, owned: Sequence[Object]) -> Object | None:
        """The ReplicaSet of the present template; a clash of names waits for the cache."""
        if not await self._world.writer.is_there(deployment):
            return None
        now, spec = self._world.clock(), part(deployment, "spec")
        document = set_of(deployment)
        old = [self._state(each, now) for each in owned]
        fresh = SetState(document["metadata"]["name"], 0)
        document["spec"]["replicas"] = next_step(
            number(spec.get("replicas"), 1), Strategy.of(spec), fresh, old
        ).get(fresh.name, 0)  # fmt: skip
        try:
            made = (await self._world.store.create(REPLICA_SETS, document)).document()
        except (AlreadyExistsError, ForbiddenError):
            return None
        self._sets.put(made)
        self._tell(deployment, f"created ReplicaSet {fresh.name}")
        return made

    async def _number(self, deployment: Object, new: Object, old: Sequence[Object]) -> Object:
        """Give the present template the highest revision, here and in the Deployment, for `kubectl rollout`."""
        highest = max((revision_of(each) for each in old), default=0)
        if revision_of(new) <= highest or not revision_of(new):
            cause = part(deployment, "metadata", "annotations").get(_CHANGE_CAUSE)
            notes = {REVISION: str(highest + 1), **({_CHANGE_CAUSE: cause} if cause else {})}
            new = await self._patch(new, lambda live: _noted(live, notes))
        told = str(revision_of(new))
        if part(deployment, "metadata", "annotations").get(REVISION) != told:
            key = key_of(DEPLOYMENTS, deployment)
            await self._world.store.patch(key, lambda live: _noted(live, {REVISION: told}))
        return new

    async def _scale(self, deployment: Object, sets: Sequence[Object], step: Mapping[str, int]) -> None:
        for each in sets:
            name = each["metadata"]["name"]
            if name in step:
                await self._patch(each, lambda live, count=step[name]: _scaled(live, count))
                before = number(part(each, "spec").get("replicas"))
                self._tell(deployment, f"scaled ReplicaSet {name} from {before} to {step[name]}")

    async def _scale_paused(self, deployment: Object, owned: Sequence[Object], new: Object | None) -> None:
        """While it is paused only the number counts: the youngest ReplicaSet with Pods takes it."""
        active = [each for each in owned if number(part(each, "spec").get("replicas"))]
        chosen = active[-1] if active else new
        if chosen is None:
            return
        others = sum(number(part(each, "spec").get("replicas")) for each in active if each is not chosen)
        wanted = max(0, number(part(deployment, "spec").get("replicas"), 1) - others)
        if number(part(chosen, "spec").get("replicas")) != wanted:
            await self._scale(deployment, [chosen], {chosen["metadata"]["name"]: wanted})

    async def _forget_old(self, deployment: Object, old: Sequence[Object]) -> None:
        """Delete the oldest ReplicaSets without Pods, beyond `revisionHistoryLimit`."""
        limit = number(part(deployment, "spec").get("revisionHistoryLimit"), 10)
        empty = [each for each in old if not number(part(each, "spec").get("replicas")) and not self._pods(each).all]
        for each in sorted(empty, key=revision_of)[: max(0, len(empty) - limit)]:
            try:
                await self._world.store.delete(
                    key_of(REPLICA_SETS, each), Deletion(uid=each["metadata"]["uid"], revision=_version(each))
                )
            except (NotFoundError, StaleError):
                continue

    async def _patch(self, replica_set: Object, change: Any) -> Object:
        uid = replica_set["metadata"]["uid"]

        def checked(live: Object) -> Object:
            if live["metadata"]["uid"] != uid:
                raise StaleError("another ReplicaSet has this name now", place=live["metadata"]["name"])
            changed: Object = change(live)
            return changed

        written = (await self._world.store.patch(key_of(REPLICA_SETS, replica_set), checked)).document()
        self._sets.put(written)
        return written

    def _pods(self, replica_set: Object) -> Tally:
        return self._world.pods.of(replica_set["metadata"]["uid"]).tally

    def _state(self, replica_set: Object, now: float) -> SetState:
        spec, pods = part(replica_set, "spec"), self._pods(replica_set)
        ready_s = number(spec.get("minReadySeconds"))
        name, replicas = replica_set["metadata"]["name"], number(spec.get("replicas"), 1)
        return SetState(name, replicas, min(replicas, pods.available(now, ready_s)), pods.all - pods.state(*ENDED))

    def _next_available_s(self, sets: Sequence[Object], now: float) -> float | None:
        waits = [
            self._pods(each).next_available_s(now, number(part(each, "spec").get("minReadySeconds"))) for each in sets
        ]
        return min((each for each in waits if each is not None), default=None)

    def _tell(self, deployment: Object, message: str) -> None:
        self._world.events.tell(deployment, "Normal", "ScalingReplicaSet", message)


def deployment_of(replica_set: Mapping[str, Any] | None) -> Key | None:
    """The Deployment that controls a ReplicaSet."""
    for each in (replica_set or {"metadata": {}})["metadata"].get("ownerReferences") or ():
        if each.get("controller") and each.get("kind") == "Deployment" and replica_set is not None:
            return Key(DEPLOYMENTS, replica_set["metadata"]["namespace"], each["name"])
    return None


def new_set(deployment: Mapping[str, Any], owned: Sequence[Object]) -> Object | None:
    """The ReplicaSet of the present template; of several the oldest."""
    wanted = plain(part(deployment, "spec", "template"))
    return next((each for each in owned if plain(_without_hash(part(each, "spec", "template"))) == wanted), None)


def set_of(deployment: Mapping[str, Any]) -> Object:
    """A new ReplicaSet of the present template, still without replicas."""
    spec, metadata = part(deployment, "spec"), deployment["metadata"]
    template = part(spec, "template")
    digest = digest_of(plain(template))
    labels = {**part(template, "metadata", "labels"), TEMPLATE_HASH: digest}
    selector = part(spec, "selector")
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {
            "name": f"{metadata['name'][:242]}-{digest}",
            "namespace": metadata["namespace"],
            "labels": labels,
            "annotations": {},
            "ownerReferences": controlled_by(deployment),
        },
        "spec": {
            "replicas": 0,
            **({"minReadySeconds": spec["minReadySeconds"]} if spec.get("minReadySeconds") else {}),
            "selector": {**selector, "matchLabels": {**part(selector, "matchLabels"), TEMPLATE_HASH: digest}},
            "template": {**template, "metadata": {**part(template, "metadata"), "labels": labels}},
        },
    }


def _without_hash(template: Mapping[str, Any]) -> Object:
    metadata = part(template, "metadata")
    labels = {key: value for key, value in part(metadata, "labels").items() if key != TEMPLATE_HASH}
    return {**template, "metadata": {**metadata, "labels": labels}}


def revision_of(replica_set: Mapping[str, Any]) -> int:
    """The number of a ReplicaSet in the history of its Deployment; 0 where it has none."""
    told = part(replica_set, "metadata", "annotations").get(REVISION, "")
    return int(told) if isinstance(told, str) and told.isdigit() else 0


def _age(replica_set: Mapping[str, Any]) -> tuple[int, str, str]:
    metadata = replica_set["metadata"]
    return revision_of(replica_set), metadata.get("creationTimestamp", ""), metadata["name"]


def _version(document: Mapping[str, Any]) -> int:
    return int(document["metadata"]["resourceVersion"])


def _adopted(live: Object, owner: Object) -> Object:
    held = live["metadata"].get("ownerReferences") or []
    if not any(each.get("controller") for each in held):
        live["metadata"]["ownerReferences"] = [*held, *controlled_by(owner)]
    return live


def _noted(live: Object, notes: Mapping[str, str]) -> Object:
    live["metadata"]["annotations"] = {**(live["metadata"].get("annotations") or {}), **notes}
    return live


def _scaled(live: Object, count: int) -> Object:
    live["spec"] = {**live["spec"], "replicas": count}
    return live
