"""Cluster objects of a store beside the Nodes and Pods that were made from them: nothing is counted twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Object = dict[str, Any]


def without_applied(objects: Iterable[Object]) -> list[Object]:
    """The objects; of Clusters only what no Node says: workers that are no Nodes yet, their bookings, and budgets."""
    given = list(objects)
    nodes = {each["metadata"]["name"] for each in given if each.get("kind") == "Node"}
    return [_left(each, nodes) if each.get("kind") == "Cluster" else each for each in given]


def _left(cluster: Object, nodes: set[str]) -> Object:
    workers = [left for each in _listed(cluster, "workers") for left in _not_yet(each, nodes)]
    bookings = [each for each in _listed(cluster, "bookings") if each.get("worker") not in nodes]
    return {**cluster, "workers": workers, "bookings": bookings}


def _not_yet(worker: Mapping[str, Any], nodes: set[str]) -> Iterator[Mapping[str, Any]]:
    """The worker, or those of its copies that are no Nodes."""
    name, count = worker.get("name"), worker.get("count")
    if not isinstance(count, int) or isinstance(count, bool):
        if name not in nodes:
            yield worker
        return
    missing = [copy for number in range(count) if (copy := f"{name}-{number}") not in nodes]
    if len(missing) == count:
        yield worker
        return
    alone = {key: value for key, value in worker.items() if key != "count"}
    yield from ({**alone, "name": copy} for copy in missing)


def _listed(cluster: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """The objects in a list; stored Clusters have passed the checks of the API."""
    value = cluster.get(name)
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
