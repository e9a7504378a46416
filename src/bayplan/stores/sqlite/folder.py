"""The data folder of one running system, and the lock that keeps a second process out."""

from __future__ import annotations

import fcntl
import os
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from bayplan.control.store_errors import StoreFailedError
from bayplan.stores.sqlite.faults import file_fault

if TYPE_CHECKING:
    from collections.abc import Callable

DATABASE = "bayplan.db"
LOCK = "lock"


class InUseError(StoreFailedError):
    """Another process works on the folder."""

    code = "store-in-use"


class DataFolder:
    """A folder that this process alone uses, until `release`; the lock also ends with the process, however it ends."""

    def __init__(self, path: Path, *, clock: Callable[[], float] = time.time) -> None:
        self.path = Path(path)
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = os.open(self.path / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise file_fault(self.path, error) from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(self._lock)
            raise self._in_use() from error
        except OSError as error:  # a file system without locks
            os.close(self._lock)
            raise file_fault(self.path / LOCK, error) from error
        self._sign(clock())

    @property
    def database(self) -> Path:
        return self.path / DATABASE

    def _sign(self, now: float) -> None:
        """Write who holds the folder into the lock file, for the error of the next process."""
        since = datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        text = orjson.dumps({"pid": os.getpid(), "since": since})
        try:
            os.ftruncate(self._lock, 0)
            os.pwrite(self._lock, text, 0)
        except OSError as error:
            os.close(self._lock)
            raise file_fault(self.path, error) from error

    def _in_use(self) -> InUseError:
        holder = holder_of(self.path)
        who = f"process {holder['pid']} since {holder['since']}" if holder else "another process"
        following = 'stop it, or use others: --data DIR --port 0 (with make: ARGS="--data DIR --port 0")'
        return InUseError(f"is in use by {who}", place=str(self.path), next=following)

    def release(self) -> None:
        """Let another process have the folder."""
        os.close(self._lock)


def holder_of(path: Path) -> dict[str, Any] | None:
    """The process that last took the folder, as it signed; None where no signature can be read."""
    try:
        signed = orjson.loads((path / LOCK).read_bytes())
    except (OSError, ValueError):
        return None
    return signed if isinstance(signed, dict) and signed.keys() >= {"pid", "since"} else None
