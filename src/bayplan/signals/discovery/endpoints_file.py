"""The endpoints of a file, which is read again when it changes."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from bayplan.framework.errors import InputError
from bayplan.manifests.reader import read_file
from bayplan.manifests.routing.endpoints import read_endpoints

if TYPE_CHECKING:
    from pathlib import Path

    from bayplan.manifests.routing.endpoints import EndpointsFile
    from bayplan.routing.endpoints.endpoint import Endpoint
    from bayplan.signals.address_guard import AddressGuard
    from bayplan.signals.directory import Directory

    Version: TypeAlias = tuple[int, ...] | None
    """What tells one version of a file from another; None: there is no file."""

_SOURCE = "file"

_log = logging.getLogger("bayplan.signals")


class FileDiscovery:
    """Follows one file. At the start a wrong file is an error; later the last good one stays, and `problem` says why.

    A file that changes is read when it has stayed the same for `interval_s`, so that one that is being written is not
    taken for one with fewer endpoints. Names of hosts are looked up whenever the file is read.
    """

    def __init__(
        self, path: Path, directory: Directory, guard: AddressGuard, *, watch: bool = True, interval_s: float = 0.5
    ) -> None:
        self._path, self._directory, self._guard = path, directory, guard
        self._watch, self._interval_s = watch, interval_s
        self._read_version: Version = None
        self._task: asyncio.Task[None] | None = None
        self.problem = ""

    async def start(self) -> None:
        """Read the file, and follow it from then on."""
        self._read_version = await asyncio.to_thread(_version, self._path)
        await self._load()
        if self._watch:
            self._task = asyncio.create_task(self._follow(), name=f"follow {self._path}")

    async def stop(self) -> None:
        """Follow it no more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    async def _follow(self) -> None:
        before = self._read_version
        while True:
            await asyncio.sleep(self._interval_s)
            version = await asyncio.to_thread(_version, self._path)
            if version != self._read_version and version == before:
                self._read_version = version
                await self._load_again()
            before = version

    async def _load_again(self) -> None:
        try:
            await self._load()
        except InputError as error:
            self.problem = str(error)
            _log.warning("%s; the endpoints that were known stay", error)
        else:
            self.problem = ""
            _log.info("%s was read again", self._path)

    async def _load(self) -> None:
        found = await asyncio.to_thread(_read, self._path)
        endpoints = [await self._pinned(each) for each in found.endpoints]
        for warning in found.warnings:
            _log.warning("%s", warning)
        self._directory.put(_SOURCE, str(self._path), endpoints)
        self._directory.put_objectives(_SOURCE, found.objectives)
        self._directory.put_rewrites(_SOURCE, found.rewrites)

    async def _pinned(self, endpoint: Endpoint) -> Endpoint:
        """With its address instead of a name; what the file says of its load is old already, and is dropped."""
        try:
            address = await self._guard.resolved(endpoint.ip)
        except OSError as error:
            message = f"{endpoint.ip!r} has no address: {error.strerror}"
            place = f"{self._path}: endpoint {endpoint.name}"
            raise InputError(message, place=place, next="write one that can be looked up, or an IP address") from None
        return replace(endpoint, ip=address, known=None)


def _read(path: Path) -> EndpointsFile:
    documents = read_file(path)
    if not documents:
        raise InputError("it is empty", place=str(path), next="write endpoints: []")
    return read_endpoints(documents)


def _version(path: Path) -> Version:
    try:
        found = path.stat()
    except OSError:
        return None
    return (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
