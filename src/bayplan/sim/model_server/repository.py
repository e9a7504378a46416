"""The models of a simulated server: folders that can be loaded, and which of them are."""

from __future__ import annotations

import asyncio
from collections import Counter
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from bayplan.sim.model_server.settings import Settings


class State(StrEnum):
    """The states of a model in the index of a repository, in the words of the V2 protocol."""

    READY = "READY"
    LOADING = "LOADING"
    UNAVAILABLE = "UNAVAILABLE"


class UnknownModelError(Exception):
    """There is no such model, or it is not loaded."""


class FailedOnPurposeError(Exception):
    """The settings say that this fails."""


class Repository:
    """Loads folders of one root by their names. A load reads nothing of a folder; it takes its time."""

    def __init__(self, root: Path, settings: Settings) -> None:
        self._root, self._settings = root, settings
        self._states: dict[str, State] = {}
        self._tries: Counter[str] = Counter()

    def index(self, *, ready: bool = False) -> list[dict[str, Any]]:
        """All folders with their states; with `ready` those alone that are loaded."""
        folders = {each.name for each in self._root.iterdir() if each.is_dir() and not each.name.startswith(".")}
        names = sorted(folders | self._states.keys())
        listed = [{"name": each, "state": self.state(each), "reason": ""} for each in names]
        return [each for each in listed if not ready or each["state"] is State.READY]

    def state(self, name: str) -> State:
        return self._states.get(name, State.UNAVAILABLE)

    async def load(self, name: str) -> None:
        """Load a model, also one that is loaded already."""
        if not (self._root / name).is_dir():
            raise UnknownModelError(f"Model {name} not found")
        before = self.state(name)
        if before is not State.READY:
            self._states[name] = State.LOADING
        await asyncio.sleep(self._settings.load_s)
        self._tries[name] += 1
        if self._settings.load_fails(name, self._tries[name] - 1):
            self._states.pop(name, None)
            raise FailedOnPurposeError(f"the load of {name} fails on purpose, because of its name")
        self._states[name] = State.READY

    def unload(self, name: str) -> None:
        if self.state(name) is not State.READY:
            raise UnknownModelError(f"Model {name} not found")
        if self._settings.unload_fails(name):
            raise FailedOnPurposeError(f"the unload of {name} fails on purpose, because of its name")
        del self._states[name]

    def check_loaded(self, name: str) -> None:
        if self.state(name) is not State.READY:
            raise UnknownModelError(f"Model {name} not found")
