"""How a simulated model server behaves: how long it takes, and which models fail."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase


@dataclass(frozen=True, slots=True)
class Settings:
    """Times, and patterns of the names of models that fail on purpose.

    `failures` is how often the load of such a model fails before it works; None is for ever.
    """

    name: str = "simulated"
    load_s: float = 0.1
    infer_s: float = 0.0
    fail_loads: str = "fail-load*"
    fail_unloads: str = "fail-unload*"
    failures: int | None = None

    def load_fails(self, model: str, tries: int) -> bool:
        """Whether a load fails, after so many tries before it."""
        return fnmatchcase(model, self.fail_loads) and (self.failures is None or tries < self.failures)

    def unload_fails(self, model: str) -> bool:
        return fnmatchcase(model, self.fail_unloads)
