"""A simulated engine that runs in real time: it wakes up when a step ends, and never while there is no work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from bayplan.sim.engine.batching.sequence import Kind, State

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Handle
    from collections.abc import Callable

    from bayplan.sim.engine.batching.sequence import Sequence
    from bayplan.sim.engine.batching.simulated_engine import SimulatedEngine
    from bayplan.sim.engine.metrics import Metrics


class Listener(Protocol):
    """A caller that waits for an answer."""

    sequence: Sequence
    is_stream: bool
    reason: str

    def deliver(self, tokens: int) -> None:
        """The number of tokens that have been generated so far; it may be told the same number again."""

    def finish(self) -> None:
        """All tokens have been generated."""


class LiveEngine:
    """The engine's time is the loop's, less the time that it hung.

    Steps end when the model says so, not when the process wakes up: a late wake-up delivers late and shifts nothing.
    """

    def __init__(self, engine: SimulatedEngine, metrics: Metrics, loop: AbstractEventLoop) -> None:
        self.engine = engine
        self.metrics = metrics
        self.on_tokens: Callable[[int], None] | None = None
        self._loop = loop
        self._origin_s = loop.time()
        self._hung_at_s: float | None = None
        self._timer: Handle | None = None
        self._is_waking = False
        self._told_step = 0
        self._listeners: dict[Sequence, Listener] = {}
        self._streams: dict[Sequence, Listener] = {}

    @property
    def active(self) -> int:
        """Requests that are not answered yet."""
        return len(self._listeners)

    def submit(self, listener: Listener) -> None:
        """Let a request arrive; what arrives in one turn of the loop shares a step."""
        loop_s = self._loop.time()
        now_s = self._engine_time(loop_s)
        self.settle(now_s)
        sequence = listener.sequence
        sequence.tag = loop_s  # the engine's own times leave out how long it hung
        self.engine.submit(sequence, now_s)
        self._listeners[sequence] = listener
        if listener.is_stream:
            self._streams[sequence] = listener
        self._wake()

    def withdraw(self, listener: Listener) -> None:
        """End a request whose client has gone."""
        self.settle()
        sequence = listener.sequence
        if self._listeners.pop(sequence, None) is None:
            return
        self._streams.pop(sequence, None)
        if sequence.state not in (State.FINISHED, State.ABORTED):
            self.engine.abort(sequence)
            self.metrics.request(sequence, "abort")
        self._wake()

    def hang(self, *, hangs: bool) -> None:
        """Stop the engine's time, or let it go on."""
        if hangs and self._hung_at_s is None:
            self.settle()
            self._hung_at_s = self._loop.time()
        elif not hangs and self._hung_at_s is not None:
            self._origin_s += self._loop.time() - self._hung_at_s
            self._hung_at_s = None
        self._wake()

    def settle(self, now_s: float | None = None) -> None:
        """Bring everything up to now."""
        engine = self.engine
        finished: list[Listener] = []
        for event in engine.advance(self._engine_time(self._loop.time()) if now_s is None else now_s):
            sequence = event.sequence
            if event.kind is Kind.FIRST_TOKEN:
                self.metrics.first_token(event.time_s - sequence.arrived_s + self._lost_s(sequence))
            else:
                self._end(sequence, finished)
        if engine.step != self._told_step:
            self._told_step = engine.step
            for sequence, stream in self._streams.items():
                tokens = engine.generated(sequence)
                if tokens:
                    stream.deliver(tokens)
        for listener in finished:
            listener.finish()
        if self.on_tokens is not None:
            self.on_tokens(engine.generated_tokens)

    def _engine_time(self, loop_s: float) -> float:
        return (loop_s if self._hung_at_s is None else self._hung_at_s) - self._origin_s

    def _end(self, sequence: Sequence, finished: list[Listener]) -> None:
        listener = self._listeners.pop(sequence, None)
        self._streams.pop(sequence, None)
        if listener is not None:
            self.metrics.request(sequence, listener.reason, self._lost_s(sequence))
            finished.append(listener)

    def _lost_s(self, sequence: Sequence) -> float:
        """The seconds since its arrival in which the engine hung."""
        return self._origin_s + sequence.arrived_s - sequence.tag if isinstance(sequence.tag, float) else 0.0

    def _wake(self) -> None:
        if not self._is_waking:
            self._is_waking = True
            self._loop.call_soon(self._tick)

    def _tick(self) -> None:
        self._is_waking = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self.settle()
        if self._hung_at_s is not None:
            return
        at_s = self.engine.next_step_s() if self._streams else self.engine.next_event_s()
        if at_s is not None:
            self._timer = self._loop.call_at(at_s + self._origin_s, self._tick)
