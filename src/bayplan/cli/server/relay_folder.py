"""Where the relay of a data folder leaves what others need to find it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_ADMIN, _READY = "admin ", "ready "


class RelayFolder:
    """The folder `relay` of a data folder: the lock of the relay's process, and what it printed when it was ready."""

    def __init__(self, data: Path) -> None:
        self.path = data / "relay"
        self.lock = self.path / "relay.lock"
        self.printed = self.path / "urls"
        self.log = self.path / "relay.log"

    def admin_url(self) -> str | None:
        """Where operators ask it; None where no relay has begun to serve here."""
        return self._said(_ADMIN)

    def url(self) -> str | None:
        """Where clients ask it; None until it serves."""
        return self._said(_READY)

    def _said(self, beginning: str) -> str | None:
        try:
            lines = self.printed.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)
        except OSError:
            return None
        whole = (each for each in lines if each.endswith("\n"))  # a line may be on its way
        return next((each.removeprefix(beginning).strip() for each in whole if each.startswith(beginning)), None)
