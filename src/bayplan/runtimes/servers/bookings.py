"""What a ServerReplica asks of the agent: its models, each with what is to become of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.control.store import Object

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,254}")
_SERVED = frozenset({"load-requested", "loading", "loaded", "available", "loaded-unavailable", "draining"})
_REMOVED = frozenset({"unload-requested", "unloading"})
_KEPT = frozenset({"unload-failed"})


class Wish(Enum):
    """What is to become of a model on its server."""

    SERVED = auto()
    REMOVED = auto()
    """It is to be unloaded, and the answer is awaited."""
    KEPT = auto()
    """Nothing is to be done about it until it is asked for again."""
    GONE = auto()
    """It is to be unloaded and forgotten; no answer is awaited."""


@dataclass(frozen=True, slots=True)
class Booking:
    """One model of a server replica; `name` is the one under which the server knows it.

    `generation` is new for each request to load or unload it; answers repeat it.
    """

    name: str
    wish: Wish
    generation: int = 0
    memory_mib: int = 0
    storage_uri: str = ""
    artifact_version: str | None = None
    secret: str | None = None
    requirements: tuple[str, ...] = ()
    parameters: Mapping[str, str] = field(default_factory=dict)
    is_explainer: bool = False

    @property
    def has_usable_name(self) -> bool:
        """Whether its name can be that of a folder."""
        return _NAME.fullmatch(self.name) is not None


def read_bookings(replica: Object) -> dict[str, Booking]:
    """The bookings of a ServerReplica by name."""
    listed = (replica.get("spec") or {}).get("models") or ()
    bookings = [_booking(each) for each in listed if isinstance(each, dict) and each.get("name")]
    return {each.name: each for each in bookings}


def _booking(written: Mapping[str, Any]) -> Booking:
    model_type = written.get("modelType")
    version = written.get("artifactVersion")
    return Booking(
        name=str(written["name"]),
        wish=_wish(str(written.get("state") or "")),
        generation=int(written.get("generation") or 0),
        memory_mib=int(written.get("memory") or 0),
        storage_uri=str(written.get("storageUri") or ""),
        artifact_version=None if version is None else str(version),
        secret=written.get("secretName") or None,
        requirements=(*map(str, written.get("requirements") or ()), *([str(model_type)] if model_type else ())),
        parameters={str(each.get("name")): str(each.get("value", "")) for each in written.get("parameters") or ()},
        is_explainer=bool(written.get("explainer")),
    )


def _wish(state: str) -> Wish:
    if state in _SERVED:
        return Wish.SERVED
    if state in _REMOVED:
        return Wish.REMOVED
    return Wish.KEPT if state in _KEPT else Wish.GONE
