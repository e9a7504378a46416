"""The replay itself: arrivals and engines' events in the order of time, and a picker that is told of them."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from bayplan.sim.engine.batching.sequence import Kind, Sequence as EngineRequest
from bayplan.sim.engine.batching.simulated_engine import Limits, SimulatedEngine
from bayplan.sim.routing.result import Result, Served

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bayplan.sim.engine.batching.sequence import Event
    from bayplan.sim.engine.batching.timing import Profile
    from bayplan.sim.routing.picker import Picker, Sends
    from bayplan.sim.routing.trace import Trace, TraceRequest
    from bayplan.sim.routing.verdict import Verdict

SEQUENCES = 256  # requests that one engine runs at once, as engines are started by default


@dataclass(frozen=True, slots=True)
class EngineSpec:
    """One engine of the pool: its profile, and how many times as long it takes for everything."""

    profile: Profile
    slowdown: float = 1.0

    def engine(self, block_tokens: int) -> SimulatedEngine:
        """A new engine with an empty cache."""
        profile = self.profile
        limits = Limits(profile.kv_tokens // block_tokens, block_tokens, profile.step_tokens, SEQUENCES)
        return SimulatedEngine(limits, profile.timing.scaled(self.slowdown))


class Replay:
    """One run of a trace. `on_change` hears of every engine whose queue or memory changed, with the time."""

    def __init__(
        self,
        trace: Trace,
        engines: Sequence[SimulatedEngine],
        picker: Picker,
        *,
        token_s: float,
        verdict: Verdict | None = None,
        on_change: Callable[[int, float], None] | None = None,
    ) -> None:
        self.engines = list(engines)
        self._trace = trace
        self._picker = picker
        self._token_s = token_s
        self._verdict = verdict
        self._on_change = on_change
        self._agenda: list[tuple[float, int, int]] = []  # time, number of the engine, stamp of its plan
        self._stamps = [0] * len(self.engines)
        self._requests = {each.id: each for each in trace.requests}
        self._running: dict[str, EngineRequest] = {}
        self._served: dict[str, EngineRequest] = {}

    def run(self) -> Result:
        """Play the whole trace to its end, or until the verdict is certain."""
        verdict = self._verdict
        for request in self._trace.requests:
            self._play_until(request.arrived_s)
            if verdict is not None and verdict.is_lost:
                return self._result(is_complete=False)
            self._send(self._picker.arrive(request, request.arrived_s), request.arrived_s)
        self._play_until(float("inf"))
        return self._result(is_complete=True)

    def _play_until(self, end_s: float) -> None:
        """Every event of an engine before that time."""
        agenda, stamps = self._agenda, self._stamps
        while agenda and agenda[0][0] <= end_s:
            now, number, stamp = heappop(agenda)
            if stamp == stamps[number]:
                self._advance(number, now)

    def _advance(self, number: int, now: float) -> None:
        events = self.engines[number].advance(now)
        if events and self._on_change is not None:
            self._on_change(number, now)
        for event in events:
            self._tell(event)
        self._plan(number)

    def _plan(self, number: int) -> None:
        next_s = self.engines[number].next_event_s()
        self._stamps[number] += 1
        if next_s is not None:
            heappush(self._agenda, (next_s, number, self._stamps[number]))

    def _tell(self, event: Event) -> None:
        now, kind, sequence = event
        id_: str = sequence.tag
        if kind is Kind.FIRST_TOKEN:
            if self._verdict is not None:
                self._verdict.first_token(self._requests[id_], now)
            self._send(self._picker.first_token(id_, now), now)
        else:
            del self._running[id_]
            self._send(self._picker.complete(id_, now), now)

    def _send(self, sends: Sends, now: float) -> None:
        for id_, number in sends:
            request = self._requests[id_]
            sequence = EngineRequest(request.prompt_tokens, request.output_tokens, request.blocks, tag=id_)
            self._running[id_] = self._served[id_] = sequence
            engine = self.engines[number]
            for event in engine.advance(now):
                self._tell(event)
            engine.submit(sequence, now)
            if self._on_change is not None:
                self._on_change(number, now)
            self._plan(number)

    def _result(self, *, is_complete: bool) -> Result:
        return Result([self._served_of(each) for each in self._trace.requests], self._token_s, is_complete)

    def _served_of(self, request: TraceRequest) -> Served:
        sequence = self._served.get(request.id)
        if sequence is None or sequence.first_token_s is None:
            return Served(request, None, None, 0)
        ttft_s = sequence.first_token_s - request.arrived_s
        return Served(request, ttft_s, sequence.finished_s, sequence.cached_tokens)
