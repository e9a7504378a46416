"""How long the agent of a server waits, and how often it tries."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Patience:
    """Times in seconds, and the budget of attempts."""

    drain_s: float = 2.0
    """From the request to unload a model until it is unloaded: requests that are on their way to it still arrive."""
    attempts: int = 5
    first_pause_s: float = 0.5
    """Before the second attempt to load a model; doubled before each further one."""
    ensure_s: float = 60.0
    """That a request for an evicted model is kept waiting."""
    stay_s: float = 0.3
    """That a model stays in memory after it was used, so that the request for which it was loaded finds it."""
