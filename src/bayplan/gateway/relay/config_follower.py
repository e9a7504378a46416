"""A file with the configuration of a router, which is read again when it changes."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, TypeAlias

from bayplan.framework.errors import BayplanError, InputError
from bayplan.library.registry import read_any_config
from bayplan.manifests.reader import read_file
from bayplan.routing.config.routing_config import RoutingConfig

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    Version: TypeAlias = tuple[int, ...] | None
    """What tells one version of a file from another; None: there is no file."""

_log = logging.getLogger("bayplan.gateway")


class ConfigFollower:
    """Takes over a new configuration once its file has stayed the same for `interval_s`.

    A wrong one changes nothing: the last good one stays, and `problem` says why. One that means the same as the present
    one changes nothing either, so that plugins keep what they have learnt.
    """

    def __init__(
        self,
        path: Path,
        config: RoutingConfig,
        take: Callable[[RoutingConfig], Awaitable[None]],
        *,
        interval_s: float = 0.5,
    ) -> None:
        self._path, self._take, self._interval_s = path, take, interval_s
        self._document = config.document()
        self._read_version = _version(path)
        self._task: asyncio.Task[None] | None = None
        self.problem = ""

    def start(self) -> None:
        """Follow the file."""
        self._task = asyncio.create_task(self._follow(), name=f"follow {self._path}")

    async def stop(self) -> None:
        """Follow it no more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _follow(self) -> None:
        before = self._read_version
        while True:
            await asyncio.sleep(self._interval_s)
            version = await asyncio.to_thread(_version, self._path)
            if version != self._read_version and version == before:
                self._read_version = version
                await self._look()
            before = version

    async def _look(self) -> None:
        try:
            config = await asyncio.to_thread(_read, self._path)
            if config.document() == self._document:
                return
            await self._take(config)
        except BayplanError as error:
            self.problem = str(error)
            _log.warning("%s; the configuration stays as it was", error)
        else:
            self._document, self.problem = config.document(), ""
            for each in config.warnings:
                _log.warning("%s: %s", self._path, each)
            _log.info("%s was read again: decisions are made by it from now on", self._path)


def _read(path: Path) -> RoutingConfig:
    documents = read_file(path)
    if len(documents) != 1:
        raise InputError(f"it holds {len(documents)} documents", place=str(path), next="keep one configuration")
    config = read_any_config(documents[0].data, line=documents[0].line)
    if isinstance(config, RoutingConfig):
        return config
    raise InputError("it is no configuration of routing", place=str(path), next="write an EndpointPickerConfig")


def _version(path: Path) -> Version:
    try:
        found = path.stat()
    except OSError:
        return None
    return (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
