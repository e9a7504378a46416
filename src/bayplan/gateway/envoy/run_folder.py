"""The files of a running Envoy: its configuration, its endpoints, and the sockets to it and to the picker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

_LONGEST_SOCKET: Final = 107  # bytes of a socket's path; the kernel has room for no more


@dataclass(frozen=True, slots=True)
class RunFolder:
    """Where they stand. The picker writes `endpoints`, Envoy reads it, also when the picker is gone."""

    path: Path

    def __post_init__(self) -> None:
        for each in (self.admin, self.picker):
            if len(str(each).encode()) > _LONGEST_SOCKET:
                raise InputError(
                    f"{each} has more than {_LONGEST_SOCKET} bytes, too many for a socket",
                    place="--run-folder",
                    next="name a folder with a shorter path",
                )

    @property
    def configuration(self) -> Path:
        return self.path / "envoy.json"

    @property
    def endpoints(self) -> Path:
        return self.path / "endpoints.json"

    @property
    def admin(self) -> Path:
        return self.path / "admin.sock"

    @property
    def picker(self) -> Path:
        return self.path / "picker.sock"
