"""Pods by the object that controls them, counted as they change, and with what was written but is not yet seen.

A controller that acts on a cache alone would make Pods twice: what it has just created comes back later. So created
Pods are *assumed* until the cache has them, and deleted ones are leaving until the cache says so.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from bayplan.control.collections import PODS
from bayplan.control.controllers.references import controller_reference, owner_key
from bayplan.library.status.pod_facts import ENDED, PodFacts, PodState, Tally, facts_of
from bayplan.manifests.marks import SHARD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from bayplan.control.cache import Cache, Seen
    from bayplan.control.store import Collection, Key, Object

    Place = tuple[str, str]
    """Namespace and name."""


class Group:
    """The Pods of one owner. Further parts of a replica that spans workers are not counted: they are no replicas."""

    __slots__ = ("assumed", "facts", "pods", "tally")

    def __init__(self) -> None:
        self.pods: dict[Place, Object] = {}
        self.facts: dict[Place, PodFacts] = {}
        self.tally = Tally()
        self.assumed: dict[Place, float] = {}
        """Created, but not yet in the cache: since when, on the clock of the event loop."""

    def put(self, place: Place, pod: Object, facts: PodFacts) -> None:
        self.take(place)
        self.pods[place], self.facts[place] = pod, facts
        self.tally.add(facts)

    def take(self, place: Place) -> None:
        if (facts := self.facts.pop(place, None)) is not None:
            self.tally.remove(facts)
            del self.pods[place]
        self.assumed.pop(place, None)

    def chosen(self, wanted: Callable[[PodFacts], bool]) -> Iterator[tuple[Object, PodFacts]]:
        """The Pods whose facts are wanted, in the order in which they were first seen."""
        return ((self.pods[place], facts) for place, facts in self.facts.items() if wanted(facts))


_NOTHING = Group()


class OwnedPods:
    """The index; `listen` tells who wants to hear of changes of whose Pods."""

    def __init__(self, cache: Cache) -> None:
        self._groups: dict[str, Group] = {}
        self._owner: dict[Place, str] = {}
        self._orphans: dict[Place, Object] = {}
        self._leaving: set[str] = set()
        self._listeners: defaultdict[Collection, list[Callable[[Key], None]]] = defaultdict(list)
        self._orphan_listeners: list[Callable[[Object], None]] = []
        cache.listen(PODS, self._seen)

    def of(self, uid: str) -> Group:
        """The Pods of the owner with that uid; read only."""
        return self._groups.get(uid, _NOTHING)

    def orphans(self, namespace: str) -> list[Object]:
        """Pods that no object controls."""
        return [pod for (where, _), pod in self._orphans.items() if where == namespace]

    def listen(self, owners: Collection, wake: Callable[[Key], None]) -> None:
        """Hear of every change of Pods whose controller is in that collection."""
        self._listeners[owners].append(wake)

    def listen_to_orphans(self, wake: Callable[[Object], None]) -> None:
        """Hear of Pods that nothing controls: somebody may want to adopt them."""
        self._orphan_listeners.append(wake)

    def assume(self, pod: Object, at_s: float) -> None:
        """A Pod was created; unless the cache has it already, it counts from now on."""
        place, owner = _place(pod), controller_reference(pod)
        if owner is None or place in self._owner:
            return
        group = self._put(place, pod, owner["uid"])
        group.assumed[place] = at_s

    def adopted(self, pod: Object, references: list[Object]) -> None:
        """A Pod that nothing controlled has an owner now; unless the cache knows it already, it counts from now on."""
        place = _place(pod)
        if self._orphans.pop(place, None) is not None:
            metadata = pod["metadata"]
            held = [*(metadata.get("ownerReferences") or ()), *references]
            self._put(place, {**pod, "metadata": {**metadata, "ownerReferences": held}}, references[0]["uid"])

    def unassume(self, place: Place) -> None:
        """The store does not have an assumed Pod any more."""
        if (uid := self._owner.get(place)) is not None and place in self._groups[uid].assumed:
            self._leaving.discard(self._groups[uid].pods[place]["metadata"]["uid"])
            self._take(place)

    def leave(self, pod: Mapping[str, Any]) -> None:
        """A Pod was deleted; until the cache says so it counts as leaving."""
        place, uid = _place(pod), pod["metadata"]["uid"]
        owner = self._owner.get(place)
        if owner is None or self._groups[owner].pods[place]["metadata"]["uid"] != uid:
            return
        self._leaving.add(uid)
        group = self._groups[owner]
        assumed_at_s = group.assumed.get(place)
        group.put(place, group.pods[place], _left(group.facts[place]))
        if assumed_at_s is not None:  # a Pod that the cache never had is not told as gone either: doubt has to find out
            group.assumed[place] = assumed_at_s

    def _seen(self, seen: Seen) -> None:
        place = (seen.key.namespace, seen.key.name)
        self._take(place)
        self._orphans.pop(place, None)
        if seen.new is None:
            if seen.old is not None:
                self._leaving.discard(seen.old["metadata"]["uid"])
        else:
            self._add(place, seen.new)
        self._tell(seen)

    def _add(self, place: Place, pod: Object) -> None:
        owner = controller_reference(pod)
        if owner is None:
            self._orphans[place] = pod
        elif SHARD not in (pod["metadata"].get("labels") or {}):
            self._put(place, pod, owner["uid"])

    def _put(self, place: Place, pod: Object, uid: str) -> Group:
        facts = facts_of(pod)
        if pod["metadata"]["uid"] in self._leaving:
            facts = _left(facts)
        group = self._groups.setdefault(uid, Group())
        group.put(place, pod, facts)
        self._owner[place] = uid
        return group

    def _take(self, place: Place) -> None:
        if (uid := self._owner.pop(place, None)) is not None:
            group = self._groups[uid]
            group.take(place)
            if not group.pods:
                del self._groups[uid]

    def _tell(self, seen: Seen) -> None:
        references = {}
        for pod in (seen.old, seen.new):
            if pod is not None and (owner := controller_reference(pod)) is not None:
                references[owner["uid"]] = owner
        for owner in references.values():
            if (key := owner_key(owner, seen.key.namespace)) is not None:
                for wake in self._listeners[key.collection]:
                    wake(key)
        if seen.new is not None and seen.new is self._orphans.get((seen.key.namespace, seen.key.name)):
            for tell in self._orphan_listeners:
                tell(seen.new)


def _left(facts: PodFacts) -> PodFacts:
    return facts if facts.state in ENDED else facts._replace(state=PodState.LEAVING)


def _place(pod: Mapping[str, Any]) -> Place:
    metadata = pod["metadata"]
    return metadata.get("namespace", ""), metadata["name"]
