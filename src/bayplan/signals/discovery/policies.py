"""Objectives and rewrites of models that the store holds."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, TypeVar

from bayplan.library.status.documents import part
from bayplan.manifests.fields import Fields, Findings
from bayplan.manifests.reader import Document
from bayplan.manifests.routing.objective_rules import read_objective, read_rewrite
from bayplan.signals.discovery.collections import OBJECTIVES, REWRITES

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.control.cache import Cache, Seen
    from bayplan.control.store import Collection
    from bayplan.signals.directory import Directory

T = TypeVar("T")

_log = logging.getLogger("bayplan.signals")


class PolicyDiscovery:
    """Follows the objectives and rewrites of one namespace: those of a pool, or all where `pool` is empty."""

    collections = (OBJECTIVES, REWRITES)

    def __init__(self, cache: Cache, directory: Directory, *, namespace: str, pool: str = "") -> None:
        self._cache, self._directory = cache, directory
        self._namespace, self._pool = namespace, pool
        self._source = f"{namespace}/{pool}"
        cache.listen(OBJECTIVES, self._objectives_changed)
        cache.listen(REWRITES, self._rewrites_changed)

    def _objectives_changed(self, seen: Seen) -> None:
        if seen.key.namespace == self._namespace:
            self._directory.put_objectives(self._source, dict(self._read(OBJECTIVES, read_objective)))

    def _rewrites_changed(self, seen: Seen) -> None:
        if seen.key.namespace == self._namespace:
            self._directory.put_rewrites(self._source, self._read(REWRITES, read_rewrite))

    def _read(self, collection: Collection, read: Callable[[Fields], T]) -> list[T]:
        """What the objects say; one that cannot be read is told, and left away."""
        found: list[T] = []
        for each in self._cache.all(collection, self._namespace):
            reference: Any = part(each, "spec", "poolRef").get("name")
            if self._pool and reference != self._pool:
                continue
            findings = Findings(Document(each, f"{collection} {each['metadata']['name']}"))
            value = read(Fields(each, findings))
            if findings.errors:
                _log.warning("%s", findings.errors[0])
            else:
                found.append(value)
        return found
