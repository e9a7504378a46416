"""The places for LoRA adapters in an engine: which are loaded, and which are in use."""

from __future__ import annotations


class AdapterSlots:
    """At most `slots` adapters are loaded; one that no running request uses makes way, least recently used first."""

    __slots__ = ("_running", "slots")

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self._running: dict[str, int] = {}  # running requests by adapter, least recently used first

    @property
    def loaded(self) -> tuple[str, ...]:
        return tuple(self._running)

    @property
    def in_use(self) -> tuple[str, ...]:
        """Adapters of running requests."""
        return tuple(name for name, running in self._running.items() if running)

    def has_room(self, adapter: str) -> bool:
        """Whether a request for it can run now."""
        return adapter in self._running or len(self._running) < self.slots or 0 in self._running.values()

    def use(self, adapter: str) -> bool:
        """Start a request for it, which `has_room`; whether the adapter had to be loaded."""
        is_new = adapter not in self._running
        if is_new and len(self._running) >= self.slots:
            del self._running[next(name for name, running in self._running.items() if not running)]
        self._running[adapter] = self._running.pop(adapter, 0) + 1
        return is_new

    def leave(self, adapter: str) -> None:
        """End a request for it; it stays loaded."""
        self._running[adapter] -= 1

    def forget(self, adapter: str) -> None:
        """Unload it unless requests for it run; those end first, and it makes way like any other then."""
        if self._running.get(adapter) == 0:
            del self._running[adapter]
