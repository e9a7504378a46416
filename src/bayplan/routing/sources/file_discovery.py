"""Endpoints that a file lists."""

from __future__ import annotations

from dataclasses import dataclass

from bayplan.routing.plugin_kinds import DISCOVERY


@dataclass(frozen=True, slots=True)
class FileDiscovery:
    """Takes the endpoints of the pool from a file.

    Parameters:
        path: the file, YAML or JSON.
        watch_file: whether changes of the file are followed.
    """

    path: str = ""
    watch_file: bool = False

    name = "file-discovery"
    kinds = (DISCOVERY,)
