"""What a running engine is besides its steps: ready or not, whole or faulty, with adapters and connections."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Final

from bayplan.sim.engine.batching.simulated_engine import SimulatedEngine
from bayplan.sim.engine.chance import Chance
from bayplan.sim.engine.faults import Faults, MetricsFault
from bayplan.sim.engine.live_engine import LiveEngine
from bayplan.sim.engine.metrics import Metrics
from bayplan.sim.engine.openai.refusals import RefusalError

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, TimerHandle
    from collections.abc import Callable

    from bayplan.sim.engine.http.connection import Connection
    from bayplan.sim.engine.settings import Settings

CRASHED: Final = 70  # the exit code of a crash on purpose
MOST_ADAPTERS: Final = 1_000


class Host:
    """Holds what can change while the engine runs."""

    def __init__(self, settings: Settings, loop: AbstractEventLoop, most_connections: int) -> None:
        engine = SimulatedEngine(settings.limits, settings.profile.timing)
        self.settings = settings
        self.metrics = Metrics(engine, settings.names[0], has_prefix_cache=settings.has_prefix_cache)
        self.live = LiveEngine(engine, self.metrics, loop)
        self.adapters = dict(settings.adapters)
        self.faults = Faults()
        self.chance = Chance(settings.seed)
        self.started_unix_s = int(time.time())
        self.is_closing = False
        self.on_ready: Callable[[], None] | None = None
        self.on_refuse: Callable[[float], None] | None = None
        self.on_empty: Callable[[], None] | None = None
        self._loop = loop
        self._connections: set[Connection] = set()
        self._most_connections = most_connections
        self._requests = 0
        self._frozen: str | None = None
        self._loading: TimerHandle | None = None
        self.break_by(settings.faults)
        self.load(settings.load_s)

    # readiness

    @property
    def is_ready(self) -> bool:
        return self._loading is None and not self.is_closing

    def load(self, seconds: float) -> None:
        """Not be ready for so long."""
        if self._loading is not None:
            self._loading.cancel()
        self._loading = self._loop.call_later(seconds, self._loaded) if seconds else None

    def _loaded(self) -> None:
        self._loading = None
        if self.on_ready is not None:
            self.on_ready()

    # faults

    def break_by(self, faults: Faults) -> None:
        """Let these faults be in force from now on."""
        before, self.faults = self.faults, faults
        if faults.slowdown != before.slowdown:
            self.live.settle()
            self.live.engine.timing = self.settings.profile.timing.scaled(faults.slowdown)
        if faults.hang is not before.hang:
            self.live.hang(hangs=faults.hang)
        self._frozen = self._exposition() if faults.metrics is MetricsFault.FROZEN else None
        self.live.on_tokens = self._count_tokens if faults.crash_after_tokens is not None else None

    def break_now(self, faults: Faults) -> None:
        """The same, with the faults that last for a while and begin at once."""
        self.break_by(faults)
        if faults.unready_s:
            self.load(faults.unready_s)
        if faults.refuse_s and self.on_refuse is not None:
            self.on_refuse(faults.refuse_s)

    def admit(self) -> None:
        """Let a request for tokens in, or refuse it, or crash with it."""
        if not self.is_ready:
            raise RefusalError(503, "the engine is stopping" if self.is_closing else "the model is loading")
        self._requests += 1
        crash_after = self.faults.crash_after_requests
        if crash_after is not None and self._requests > crash_after:
            os._exit(CRASHED)
        if self.chance.happens(self.faults.fail_rate):
            raise RefusalError(self.faults.fail_status, "this request fails on purpose (fault fail_rate)")

    def _count_tokens(self, tokens: int) -> None:
        limit = self.faults.crash_after_tokens
        if limit is not None and tokens >= limit:
            os._exit(CRASHED)

    # metrics

    def exposition(self) -> str:
        """The text of `/metrics`."""
        return self._frozen if self._frozen is not None else self._exposition()

    def _exposition(self) -> str:
        self.live.settle()
        waiting = dict.fromkeys(each.adapter for each in self.live.engine.waiting if each.adapter is not None)
        return self.metrics.text(time.time(), waiting, nan=self.faults.metrics is MetricsFault.NAN)

    # connections

    def joined(self, connection: Connection) -> bool:
        """Count a connection; False where there are too many."""
        self._connections.add(connection)
        return len(self._connections) <= self._most_connections

    def left(self, connection: Connection) -> None:
        """A connection is gone, and the request that it waited for."""
        self._connections.discard(connection)
        if connection.generation is not None:
            self.live.withdraw(connection.generation)
        if self.is_closing and not self._connections and self.on_empty is not None:
            self.on_empty()

    def close(self) -> None:
        """Take no more requests; connections close when their answers are sent."""
        self.is_closing = True
        for connection in list(self._connections):
            connection.close_if_idle()
        if not self._connections and self.on_empty is not None:
            self.on_empty()

    def cut(self) -> None:
        """Break off what is left."""
        for connection in list(self._connections):
            connection.cut()

    # adapters

    def load_adapter(self, name: str, path: str) -> str:
        """Add an adapter; the words are those that vLLM answers with."""
        if not self.settings.limits.adapters:
            raise RefusalError(400, "adapters are off; start the engine with --enable-lora")
        if name in self.adapters or name in self.settings.names:
            raise RefusalError(400, f"The lora adapter '{name}' has already been loaded.", "lora_name")
        if len(self.adapters) >= MOST_ADAPTERS:
            raise RefusalError(400, f"{MOST_ADAPTERS} adapters are loaded; unload some", "lora_name")
        self.adapters[name] = path
        return f"Success: LoRA adapter '{name}' added successfully."

    def unload_adapter(self, name: str) -> str:
        """Remove an adapter; requests for it that run are answered."""
        if name not in self.adapters:
            raise RefusalError(404, f"The lora adapter '{name}' cannot be found.", "lora_name")
        del self.adapters[name]
        self.live.engine.adapters.forget(name)
        return f"Success: LoRA adapter '{name}' removed successfully."
