"""What a Server asks for: how many replicas, what each offers, and the template of their Pods."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bayplan.library.status.documents import part
from bayplan.manifests.fields import read_whole
from bayplan.manifests.marks import BACKEND, SERVER
from bayplan.manifests.reader import Document
from bayplan.manifests.serving.seldon_server import collect_seldon_server, collect_seldon_server_config

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bayplan.cluster.server import Server
    from bayplan.control.store import Object
    from bayplan.manifests.serving.seldon_server import PodFacts

_BESIDE = frozenset({"rclone", "agent", "drainer"})
"""Containers of Seldon beside the server; the worker does their work."""


@dataclass(frozen=True, slots=True)
class ServerWish:
    """`server` is without replicas: which are there is another question."""

    server: Server
    replicas: int
    backend: str
    template: Object

    def row(self, index: int) -> Object:
        """What a ServerReplica says of itself; its bookings are the business of others."""
        name = self.server.name
        return {
            "server": name,
            "index": index,
            "pod": f"{name}-{index}",
            "backend": self.backend,
            "capabilities": list(self.server.capabilities),
            **({} if self.server.memory_mib is None else {"memory": self.server.memory_mib}),
            "overcommitPercent": self.server.overcommit_percent,
        }


def server_wish(document: Object, configs: Iterable[Object]) -> ServerWish:
    """The wish of a Server; InputError where it, or its ServerConfig, cannot be read."""
    read, _ = read_whole(collect_seldon_server, _named(document), document)
    config = config_of(document, configs)
    facts: PodFacts | None = None
    if config is not None:
        facts = read_whole(collect_seldon_server_config, _named(config), config)[0].pods
    template = _pod_spec(part(config or {}, "spec", "podSpec"), part(document, "spec", "podSpec"), read.config)
    server = read.server(facts)
    if server.memory_mib is None:
        known = [each for pods in (read.pods, facts) if pods is not None for each in pods.memory_mib.values()]
        server = replace(server, memory_mib=max(known, default=None))
    backend = _backend(document, config, server)
    labels = {SERVER: server.name}
    metadata = {"labels": labels, "annotations": {BACKEND: backend}}
    replicas = 0 if read.deleted else read.replicas.wanted
    bare = replace(server, replicas=(), expected=replicas)
    return ServerWish(bare, replicas, backend, {"metadata": metadata, "spec": template})


def config_of(server: Mapping[str, Any], configs: Iterable[Object]) -> Object | None:
    """The ServerConfig that a Server names: of its own namespace, else of any other."""
    name = part(server, "spec").get("serverConfig")
    found = [each for each in configs if each["metadata"]["name"] == name]
    own = server["metadata"]["namespace"]
    where = [each["metadata"]["namespace"] for each in found]
    nearest = min(where, key=lambda each: (each != own, each), default=None)
    return None if nearest is None else found[where.index(nearest)]


def _backend(server: Object, config: Object | None, noun: Server) -> str:
    for each in (server, config or {}):
        if told := part(each, "metadata", "annotations").get(BACKEND):
            return str(told)
    return "triton" if "triton" in noun.capabilities and "mlserver" not in noun.capabilities else "mlserver"


def _pod_spec(base: Object, own: Object, config: str) -> Object:
    """The Pod of the ServerConfig with what the Server says otherwise; containers are joined by their names."""
    containers = {each.get("name"): each for each in base.get("containers") or ()}
    for each in own.get("containers") or ():
        containers[each.get("name")] = {**containers.get(each.get("name"), {}), **each}
    kept = [_without_sizes(each) for name, each in containers.items() if name not in _BESIDE]
    joined = {**base, **own, "containers": kept or [{"name": config, "image": config}]}
    return {key: value for key, value in joined.items() if key not in ("initContainers", "volumes")}


def _without_sizes(container: Object) -> Object:
    """Without variables that tell a container its own size: they are for Seldon's agent, and workers refuse them."""
    env = container.get("env")
    if not isinstance(env, list):
        return container
    return {**container, "env": [each for each in env if "resourceFieldRef" not in part(each, "valueFrom")]}


def _named(document: Object) -> Document:
    metadata = document["metadata"]
    return Document(document, f"{document['kind']} {metadata['namespace']}/{metadata['name']}")
