"""What statuses need to know of Nodes: their prices, and the models that they have in their caches."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bayplan.control.collections import NODES
from bayplan.control.store import Key
from bayplan.framework.errors import BayplanError
from bayplan.manifests.inventory.entry import Entry
from bayplan.manifests.inventory.node import read_node
from bayplan.manifests.inventory.notes import Notes
from bayplan.manifests.reader import Document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bayplan.control.cache import Cache, Seen
    from bayplan.control.store import Object


class NodeFacts(NamedTuple):
    """One Node; a price that is None is not known."""

    usd_per_hour: float | None = None
    models: frozenset[str] = frozenset()


NOTHING_KNOWN = NodeFacts()


class KnownNodes:
    """Facts by the name of the Node, read when they are first asked for and when the Node says something else."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._facts: dict[str, tuple[object, NodeFacts]] = {}
        self._listeners: list[Callable[[frozenset[str]], None]] = []
        cache.listen(NODES, self._seen)

    def listen(self, tell: Callable[[frozenset[str]], None]) -> None:
        """Hear which models came to a Node or left it."""
        self._listeners.append(tell)

    def get(self, name: str) -> NodeFacts:
        """What is known of a Node; nothing where there is none, or where it cannot be read."""
        node = self._cache.get(Key(NODES, "", name))
        return NOTHING_KNOWN if node is None else self._of(node)

    def with_model(self, model: str) -> Iterator[str]:
        """The names of the Nodes that have a model."""
        return (name for each in self._cache.all(NODES) if model in self._of(each).models and (name := _name(each)))

    def _of(self, node: Object) -> NodeFacts:
        metadata = node["metadata"]
        state = (metadata["uid"], metadata.get("annotations"), metadata.get("labels"))
        known = self._facts.get(metadata["name"])
        if known is None or known[0] != state:
            known = self._facts[metadata["name"]] = state, _facts_of(node)
        return known[1]

    def _seen(self, seen: Seen) -> None:
        before = self._facts.get(seen.key.name)
        old = frozenset() if before is None else before[1].models
        if seen.new is None:
            self._facts.pop(seen.key.name, None)
        new = frozenset() if seen.new is None else self._of(seen.new).models
        if changed := old ^ new:
            for tell in self._listeners:
                tell(changed)


def _facts_of(node: Object) -> NodeFacts:
    try:
        worker = read_node(Entry(node, "Node", Document(node, _name(node))), Notes())
    except BayplanError:
        return NOTHING_KNOWN
    return NodeFacts(worker.usd_per_hour, frozenset(worker.cached_models))


def _name(node: Object) -> str:
    return str(node["metadata"]["name"])
