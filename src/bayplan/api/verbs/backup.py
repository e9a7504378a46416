"""A copy of the store as the answer to a request, taken while the server writes."""

from __future__ import annotations

import asyncio
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.responses import StreamingResponse

from bayplan.api.status import Refusal
from bayplan.stores.sqlite.backup import back_up

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from typing import BinaryIO

    from starlette.responses import Response

_PIECE_BYTES = 1 << 18  # large enough to be fast, small enough that other requests are answered between two


async def send_backup(data: Path | None) -> Response:
    """The whole store in one file, of one moment."""
    if data is None:
        raise Refusal(409, "this server keeps its objects in memory; there is nothing to back up")
    copy, revision = await asyncio.to_thread(_copied, data)
    headers = {"Content-Length": str(os.fstat(copy.fileno()).st_size), "Bayplan-Revision": str(revision)}
    return StreamingResponse(_pieces(copy), headers=headers, media_type="application/octet-stream")


def _copied(data: Path) -> tuple[BinaryIO, int]:
    """A copy that is open and has no name any more: it is gone with the answer, however that ends."""
    with tempfile.TemporaryDirectory(prefix="backup-", dir=data) as folder:
        file = Path(folder) / "copy.db"
        revision = back_up(data, file)
        return file.open("rb"), revision


async def _pieces(copy: BinaryIO) -> AsyncIterator[bytes]:
    with copy:
        while piece := await asyncio.to_thread(copy.read, _PIECE_BYTES):
            yield piece
