"""Pods by a label, counted as they change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.control.collections import PODS
from bayplan.library.status.pod_facts import Tally, facts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bayplan.control.cache import Cache, Seen
    from bayplan.library.status.pod_facts import PodFacts

    Place = tuple[str, str]
    """Namespace and name: of a Pod, or of what its label names."""


class LabelledPods:
    """Tallies by namespace and the value of the first of some labels that a Pod has."""

    def __init__(self, cache: Cache, labels: tuple[str, ...]) -> None:
        self._labels = labels
        self._tallies: dict[Place, Tally] = {}
        self._known: dict[Place, tuple[Place, PodFacts]] = {}
        self._listeners: list[Callable[[str, str], None]] = []
        cache.listen(PODS, self._seen)

    def of(self, namespace: str, value: str) -> Tally:
        """The Pods with that label; read only."""
        return self._tallies.get((namespace, value)) or Tally()

    def listen(self, tell: Callable[[str, str], None]) -> None:
        """Hear of the namespaces and values whose Pods changed."""
        self._listeners.append(tell)

    def _seen(self, seen: Seen) -> None:
        pod = (seen.key.namespace, seen.key.name)
        touched = set()
        if (known := self._known.pop(pod, None)) is not None:
            place, facts = known
            self._tallies[place].remove(facts)
            if not self._tallies[place].all:
                del self._tallies[place]
            touched.add(place)
        if seen.new is not None and (value := self._value(seen.new["metadata"].get("labels") or {})):
            place = (seen.key.namespace, value)
            self._known[pod] = place, facts_of(seen.new)
            self._tallies.setdefault(place, Tally()).add(self._known[pod][1])
            touched.add(place)
        for place in touched:
            for tell in self._listeners:
                tell(*place)

    def _value(self, labels: Mapping[str, str]) -> str:
        return next((value for key in self._labels if (value := labels.get(key))), "")
