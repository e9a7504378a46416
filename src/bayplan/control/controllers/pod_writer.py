"""Creates and deletes Pods, many at the same time so that they share commits, and notes what was written."""

from __future__ import annotations

import asyncio
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from bayplan.control.collections import PODS
from bayplan.control.controllers.references import is_leaving, key_of, owner_key
from bayplan.control.store import Deletion, Key
from bayplan.control.store_errors import ForbiddenError, NotFoundError, StaleError
from bayplan.manifests.marks import REMOVED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from bayplan.control.controllers.owned_pods import Group, OwnedPods
    from bayplan.control.event_recorder import EventRecorder
    from bayplan.control.store import Object, Store, Stored

T = TypeVar("T")

AT_ONCE = 256
"""Writes under way at the same time: enough to fill a commit, few enough to keep the event loop answering."""
_GRACE_S = 30  # as in Kubernetes, where a Pod does not say it
_DOUBT_S = 5.0
"""A created Pod that the cache has not seen for so long is looked up: it may have been deleted between two lists."""


def parts_of(items: Iterable[T], size: int = AT_ONCE) -> Iterator[list[T]]:
    """The items in lists of at most `size`."""
    following = iter(items)
    while part := list(islice(following, size)):
        yield part


class PodWriter:
    """Writes Pods for controllers."""

    def __init__(self, store: Store, owned: OwnedPods, events: EventRecorder) -> None:
        self._store, self._owned, self._events = store, owned, events

    async def create(self, owner: Object, pods: Iterable[Object]) -> int:
        """Create Pods; how many. The first refusal is raised after the others of its part were tried.

        None are created for an owner that is gone, although the cache still has it: they would be deleted at once, and
        created again, without end.
        """
        created = 0
        if not await self.is_there(owner):
            return created
        for part in parts_of(pods):
            made = await asyncio.gather(*(self._store.create(PODS, pod) for pod in part), return_exceptions=True)
            errors = [each for each in made if isinstance(each, BaseException)]
            names = [self._assume(each) for each in made if not isinstance(each, BaseException)]
            created += len(names)
            if names:
                self._tell_created(owner, names)
            if any(isinstance(each, ForbiddenError) for each in errors):
                return created  # the namespace ends, and the owner with it
            if errors:
                self._events.tell(owner, "Warning", "FailedCreate", f"{len(errors)} Pods were refused: {errors[0]}")
                raise errors[0]
        return created

    async def is_there(self, owner: Object) -> bool:
        """Whether the store has an owner, whatever the cache says, and does not delete it."""
        reference = {"apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": owner["metadata"]["name"]}
        key = owner_key(reference, owner["metadata"].get("namespace", ""))
        if key is None:
            return False
        try:
            found = (await self._store.get(key)).document()
        except NotFoundError:
            return False
        return bool(found["metadata"]["uid"] == owner["metadata"]["uid"]) and not is_leaving(found)

    def _assume(self, stored: Stored) -> str:
        pod = stored.document()
        self._owned.assume(pod, asyncio.get_running_loop().time())
        return str(pod["metadata"]["name"])

    def _tell_created(self, owner: Object, names: Sequence[str]) -> None:
        told = f"created Pod {names[0]}" if len(names) == 1 else f"created {len(names)} Pods, the last {names[-1]}"
        self._events.tell(owner, "Normal", "SuccessfulCreate", told)

    async def delete(self, owner: Object, pods: Iterable[Object], reasons: dict[str, str] | None = None) -> int:
        """Delete Pods gracefully; `reasons` by name say why these and not others."""
        deleted = 0
        for part in parts_of(pods):
            done = await asyncio.gather(*(self._delete(pod, (reasons or {}).get(_name(pod), "")) for pod in part))
            gone = [pod for pod, went in zip(part, done, strict=True) if went]
            deleted += len(gone)
            if gone:
                self._tell_deleted(owner, gone)
        return deleted

    async def _delete(self, pod: Object, reason: str) -> bool:
        key, uid = key_of(PODS, pod), pod["metadata"]["uid"]
        try:
            if reason:
                await self._store.patch(key, lambda live: _removed(live, uid, reason))
                self._events.tell(pod, "Normal", "Removed", reason)
            await self._store.delete(key, Deletion(grace_s=_grace_s(pod), uid=uid))
        except (NotFoundError, StaleError):  # it went by itself, or another Pod has its name by now
            return False
        self._owned.leave(pod)
        return True

    def _tell_deleted(self, owner: Object, pods: Sequence[Object]) -> None:
        names = [_name(pod) for pod in pods]
        told = f"deleted Pod {names[0]}" if len(names) == 1 else f"deleted {len(names)} Pods, the last {names[-1]}"
        self._events.tell(owner, "Normal", "SuccessfulDelete", told)

    async def adopt(self, owner: Object, pod: Object, references: list[Object]) -> None:
        """Make `owner` the controller of a Pod that has none; a Pod that changed meanwhile is left alone."""

        def adopted(live: Object) -> Object:
            metadata = live["metadata"]
            if metadata["uid"] != pod["metadata"]["uid"] or "deletionTimestamp" in metadata:
                raise StaleError("the Pod is another one or is going", place=_name(pod))
            held = metadata.get("ownerReferences") or []
            if not any(each.get("controller") for each in held):
                metadata["ownerReferences"] = [*held, *references]
            return live

        await self._store.patch(key_of(PODS, pod), adopted)

    async def doubt(self, group: Group) -> float | None:
        """Look up Pods that were created long ago and never seen; when to ask again, None where all are seen."""
        if not group.assumed:
            return None
        now = asyncio.get_running_loop().time()
        doubtful = [place for place, since in group.assumed.items() if now - since >= _DOUBT_S]
        for place, uid in [(place, group.pods[place]["metadata"]["uid"]) for place in doubtful]:
            if not await self._exists(place, uid):
                self._owned.unassume(place)
        return _DOUBT_S if group.assumed else None

    async def _exists(self, place: tuple[str, str], uid: str) -> bool:
        try:
            found = (await self._store.get(Key(PODS, *place))).document()
        except NotFoundError:
            return False
        return bool(found["metadata"]["uid"] == uid)


def _removed(live: Object, uid: str, reason: str) -> Object:
    metadata: dict[str, Any] = live["metadata"]
    if metadata["uid"] != uid:
        raise StaleError("another Pod has this name now", place=metadata["name"])
    metadata["annotations"] = {**(metadata.get("annotations") or {}), REMOVED: reason}
    return live


def _grace_s(pod: Object) -> int:
    given = (pod.get("spec") or {}).get("terminationGracePeriodSeconds")
    return given if isinstance(given, int) else _GRACE_S


def _name(pod: Object) -> str:
    return str(pod["metadata"]["name"])
