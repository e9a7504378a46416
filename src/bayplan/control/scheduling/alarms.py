"""One alarm for each key: an earlier one stays, a later one is dropped."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

KeyT = TypeVar("KeyT", bound="Hashable")


class Alarms(Generic[KeyT]):
    """Calls `ring` with a key when its time has come; without this, each refusal of a unit would add a timer."""

    def __init__(self, ring: Callable[[KeyT], None]) -> None:
        self._ring = ring
        self._set: dict[KeyT, asyncio.TimerHandle] = {}

    def set(self, key: KeyT, seconds: float) -> None:
        """Ring after this number of seconds, unless it rings before that anyway."""
        loop = asyncio.get_running_loop()
        present = self._set.get(key)
        if present is not None and present.when() <= loop.time() + seconds:
            return
        self.drop(key)
        self._set[key] = loop.call_later(seconds, self._due, key)

    def drop(self, key: KeyT) -> None:
        if (present := self._set.pop(key, None)) is not None:
            present.cancel()

    def stop(self) -> None:
        """Drop all of them."""
        for key in list(self._set):
            self.drop(key)

    def _due(self, key: KeyT) -> None:
        self._set.pop(key, None)
        self._ring(key)
