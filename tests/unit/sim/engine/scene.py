"""A host of a simulated engine for tests: small, and set up as they like."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bayplan.sim.engine.batching.timing import PROFILES
from bayplan.sim.engine.host import Host
from bayplan.sim.engine.settings import Settings, Sizes

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

PROFILE = PROFILES["8b"]


def settings(**changes: Any) -> Settings:
    sizes = Sizes(blocks=1_000, adapters=2)
    return replace(Settings(("m",), PROFILE, sizes.limits(PROFILE), model_tokens=10_000), **changes)


def host(loop: AbstractEventLoop, *, most_connections: int = 10, **changes: Any) -> Host:
    return Host(settings(**changes), loop, most_connections)
