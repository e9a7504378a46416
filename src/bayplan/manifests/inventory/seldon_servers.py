"""Servers of Seldon in an inventory: each is joined with its ServerConfig once every object has been read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bayplan.framework.errors import InputError
from bayplan.manifests.fields import read_whole
from bayplan.manifests.owners import api_group
from bayplan.manifests.serving.seldon_server import collect_seldon_server, collect_seldon_server_config

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.cluster.server import Server
    from bayplan.manifests.inventory.entry import Entry
    from bayplan.manifests.inventory.notes import Notes
    from bayplan.manifests.serving.seldon_server import PodFacts, SeldonServer

_GROUP = "mlops.seldon.io"
SERVER = "Server"
SERVER_CONFIG = "ServerConfig"


def is_seldon(entry: Entry) -> bool:
    """Whether the object describes a server of Seldon."""
    return entry.kind in (SERVER, SERVER_CONFIG) and api_group(entry.data.get("apiVersion")) == _GROUP


@dataclass(slots=True)
class SeldonServers:
    """The Servers and ServerConfigs that were read so far."""

    _servers: dict[str, tuple[SeldonServer, Entry]] = field(default_factory=dict)
    _configs: dict[tuple[str, str], PodFacts] = field(default_factory=dict)

    def take(self, entry: Entry, notes: Notes) -> None:
        """Read one object; its errors have their places already."""
        if entry.kind == SERVER_CONFIG:
            config, warnings = read_whole(collect_seldon_server_config, entry.document, entry.data, entry.steps)
            self._configs.setdefault(config.key, config.pods)
        else:
            server, warnings = read_whole(collect_seldon_server, entry.document, entry.data, entry.steps)
            self._add(server, entry)
        for warning in warnings:
            notes.repeat(warning)

    def joined(self, notes: Notes) -> Iterator[Server]:
        """Each server with what its configuration adds."""
        for server, entry in self._servers.values():
            config = self._config(server)
            if config is None and not server.is_stock:
                message = f"there is no ServerConfig {server.config[:64]!r}, so what it offers is not known"
                notes.add(entry, "spec.serverConfig", f"{message}; add its document")
            yield server.server(config)

    def _config(self, server: SeldonServer) -> PodFacts | None:
        """The configuration of that name: of the same namespace, else of any other."""
        own = self._configs.get((server.id.namespace, server.config))
        if own is not None:
            return own
        return next((pods for (_, name), pods in self._configs.items() if name == server.config), None)

    def _add(self, server: SeldonServer, entry: Entry) -> None:
        earlier = self._servers.get(server.id.name)
        if earlier is not None:
            message = f"two servers are called {server.id.name!r}, the other is at {earlier[1].place('metadata.name')}"
            raise InputError(message, place=entry.place("metadata.name"), next="hand in each server once")
        self._servers[server.id.name] = (server, entry)
