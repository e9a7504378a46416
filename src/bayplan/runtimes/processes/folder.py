"""The folder of a worker: its lock, its identity, and the replicas of an earlier worker that have not ended yet."""

from __future__ import annotations

import asyncio
import fcntl
import os
import secrets
import shutil
from contextlib import suppress
from typing import TYPE_CHECKING

import orjson

from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Container
    from pathlib import Path

_LOCK, _IDENTITY, _REPLICAS = "worker.lock", "worker.json", "replicas.lock"
_PAUSE_S = 0.1


class WorkerFolder:
    """Held by one worker at a time; the lock goes with the process, however it ends."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.mkdir(parents=True, exist_ok=True)
            path.chmod(0o700)
            self._lock = os.open(path / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            following = "choose a folder that you may write to: --work-dir DIR"
            raise InputError(f"it cannot be used: {error.strerror}", place=str(path), next=following) from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = os.pread(self._lock, 32, 0).decode(errors="replace").strip() or "unknown"
            following = "stop it first, or give this one another --name"
            message = f"a worker with this folder runs already (process {holder})"
            raise InputError(message, place=str(path), next=following, code="in-use") from None
        os.ftruncate(self._lock, 0)
        os.pwrite(self._lock, str(os.getpid()).encode(), 0)

    @property
    def identity(self) -> str:
        """A random text that stays with the folder: a worker that is started again is the same worker."""
        file = self.path / _IDENTITY
        with suppress(OSError, orjson.JSONDecodeError, KeyError, TypeError):
            return str(orjson.loads(file.read_bytes())["id"])
        identity = secrets.token_hex(16)
        part = file.with_suffix(".part")
        part.write_bytes(orjson.dumps({"id": identity}))
        part.replace(file)
        return identity

    async def replicas_ended(self) -> None:
        """Until no replica of an earlier worker is left: each holds the lock while it lives."""
        lock = os.open(self.path / _REPLICAS, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            while True:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError:
                    await asyncio.sleep(_PAUSE_S)
                else:
                    return
        finally:
            os.close(lock)

    def sweep(self, kept: Container[str]) -> None:
        """Delete what Pods left behind that are not bound here any more."""
        pods = self.path / "pods"
        if pods.is_dir():
            for each in pods.iterdir():
                if each.name not in kept:
                    shutil.rmtree(each, ignore_errors=True)

    def forget(self, uid: str) -> None:
        """Delete the logs and files of a Pod."""
        shutil.rmtree(self.path / "pods" / uid, ignore_errors=True)

    def close(self) -> None:
        os.close(self._lock)
