"""The files of a model, brought into a folder of a server: whole or not at all."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from bayplan.runtimes.servers.load_errors import FinalLoadError, LoadError
from bayplan.runtimes.servers.storage.local_files import copy_local
from bayplan.runtimes.servers.storage.rclone import copy_remote

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.runtimes.servers.bookings import Booking


def bring(booking: Booking, folder: Path, finish: Callable[[Path], int]) -> int:
    """Copy the files of a model beside its folder, let `finish` lay them out, then rename; what `finish` answers.

    A server that looks at any moment sees the whole folder or none.
    """
    part = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))  # servers skip names with a dot
    try:
        part.chmod(0o755)
        _copy(booking, part)
        answer = finish(part)
        shutil.rmtree(folder, ignore_errors=True)
        part.rename(folder)
    except OSError as error:
        named = f" ({error.filename})" if error.filename else ""
        raise LoadError(f"{booking.storage_uri}: cannot be copied: {error.strerror or error}{named}") from None
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return answer


def _copy(booking: Booking, into: Path) -> None:
    uri = booking.storage_uri
    if not uri:
        raise FinalLoadError("the model names no storageUri; write where its files are, such as file:///models/iris")
    scheme = urlsplit(uri).scheme if "://" in uri else ""
    if scheme in ("", "file"):
        copy_local(uri, booking.artifact_version, into)
    else:
        copy_remote(uri, booking.artifact_version, booking.secret, into)
