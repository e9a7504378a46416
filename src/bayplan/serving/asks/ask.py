"""What a model asks for: equal asks are one class, whichever model they belong to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ask:
    """`need_mib` is the memory of one replica with all its instances; `server` is the only server it may go to."""

    need_mib: int = 0
    requirements: tuple[str, ...] = ()
    explainer: bool = False
    server: str | None = None
    dedicated: bool = False
    preloaded: bool = False
