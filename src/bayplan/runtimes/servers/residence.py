"""Which models of an overcommitted server are in memory: those that were used last."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class _Resident:
    memory_mib: int
    used_s: float


class Residence:
    """Counts the memory of models that are in memory. Time is an argument: whoever calls has the clock."""

    def __init__(self, memory_mib: int | None = None) -> None:
        self.memory_mib = memory_mib
        """What models may use together; None: as much as they like."""
        self._there: dict[str, _Resident] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._there

    @property
    def used_mib(self) -> int:
        return sum(each.memory_mib for each in self._there.values())

    def add(self, name: str, memory_mib: int, now_s: float) -> None:
        """A model is in memory, or about to be."""
        self._there[name] = _Resident(memory_mib, now_s)

    def remove(self, name: str) -> None:
        self._there.pop(name, None)

    def clear(self) -> None:
        self._there.clear()

    def use(self, name: str, now_s: float) -> None:
        """A model was used; one that is not in memory is none of this class's business."""
        if (found := self._there.get(name)) is not None:
            found.used_s = max(found.used_s, now_s)

    def used_s(self, name: str) -> float:
        """When it was used last; 0 where it is not in memory."""
        found = self._there.get(name)
        return 0.0 if found is None else found.used_s

    def could_hold(self, memory_mib: int) -> bool:
        """Whether a model fits where nothing else is in memory."""
        return self.memory_mib is None or memory_mib <= self.memory_mib

    def has_room(self, memory_mib: int) -> bool:
        """Whether a model fits beside those that are there."""
        return self.memory_mib is None or self.used_mib + memory_mib <= self.memory_mib

    def victims(self, memory_mib: int) -> list[str]:
        """The models to evict so that one of this size fits: those that were used longest ago, and no more of them."""
        if self.memory_mib is None:
            return []
        short_mib = self.used_mib + memory_mib - self.memory_mib
        chosen = []
        for name, each in sorted(self._there.items(), key=lambda item: (item[1].used_s, item[0])):
            if short_mib <= 0:
                break
            if each.memory_mib > 0:
                chosen.append(name)
                short_mib -= each.memory_mib
        return chosen
