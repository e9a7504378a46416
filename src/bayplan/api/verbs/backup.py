"""A copy of the store as the answer to a request, taken while the server writes."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.background import BackgroundTask
from starlette.responses import FileResponse

from bayplan.api.status import Refusal
from bayplan.stores.sqlite.backup import back_up

if TYPE_CHECKING:
    from starlette.responses import Response

_PREFIX = "backup-"  # files that a killed server leaves in its data folder begin like this


async def send_backup(data: Path | None) -> Response:
    """The whole store in one file, of one moment; the copy that is sent is removed afterwards."""
    if data is None:
        raise Refusal(409, "this server keeps its objects in memory; there is nothing to back up")
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=data))
    file = folder / "bayplan.db"
    try:
        revision = await asyncio.to_thread(back_up, data, file)
    except BaseException:
        _remove(folder)
        raise
    headers = {"Bayplan-Revision": str(revision)}
    remove = BackgroundTask(_remove, folder)
    return FileResponse(file, media_type="application/octet-stream", headers=headers, background=remove)


def _remove(folder: Path) -> None:
    for file in folder.iterdir():
        file.unlink(missing_ok=True)
    folder.rmdir()
