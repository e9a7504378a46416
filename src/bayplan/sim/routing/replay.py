"""The replay itself: arrivals and engines' events in the order of time, and a picker that is told of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from heapq import heappop, heappush
from typing import TYPE_CHECKING, cast

from bayplan.sim.engine.batching.sequence import Kind, Sequence as EngineRequest
from bayplan.sim.routing.result import Result, Served

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from bayplan.sim.engine.batching.sequence import Event
    from bayplan.sim.engine.batching.simulated_engine import SimulatedEngine
    from bayplan.sim.routing.picker import Picker, Sends
    from bayplan.sim.routing.trace import Trace, TraceRequest
    from bayplan.sim.routing.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Outage:
    """An engine that is lost at a time with everything on it, and comes back with an empty cache."""

    at_s: float
    engine: int
    for_s: float


class Replay:
    """One run of a trace.

    `on_change` hears of every engine whose queue or memory changed, with the time. `make` gives a new engine for one
    that was lost. Requests of a lost engine that had no first token are the picker's to send again; the others count
    with the first token that they had.
    """

    def __init__(
        self,
        trace: Trace,
        make: Callable[[int], SimulatedEngine],
        engines: Sequence[SimulatedEngine],
        picker: Picker,
        *,
        token_s: float,
        verdict: Verdict | None = None,
        on_change: Callable[[int, float], None] | None = None,
        outages: Sequence[Outage] = (),
    ) -> None:
        self._trace = trace
        self._make = make
        self._engines = cast("list[SimulatedEngine]", engines)
        self._picker = picker
        self._token_s = token_s
        self._verdict = verdict
        self._on_change = on_change
        self._outages = sorted(outages, key=lambda each: each.at_s)
        self._agenda: list[tuple[float, int, int]] = []  # time, number of the engine, stamp of its plan
        self._stamps = [0] * len(self._engines)
        self._requests = {each.id: each for each in trace.requests}
        self._running: dict[str, tuple[int, EngineRequest]] = {}
        self._served: dict[str, EngineRequest] = {}

    def run(self) -> Result:
        """Play the whole trace to its end, or until the verdict is certain."""
        verdict = self._verdict
        for at_s, happens in self._happenings():
            self._play_until(at_s)
            if verdict is not None and verdict.is_lost:
                return self._result(is_complete=False)
            self._send(happens(at_s), at_s)
        self._play_until(float("inf"))
        return self._result(is_complete=True)

    def _happenings(self) -> Iterator[tuple[float, Callable[[float], Sends]]]:
        """Arrivals, losses and returns, in the order of time."""
        found: list[tuple[float, Callable[[float], Sends]]] = [
            (each.arrived_s, partial(self._picker.arrive, each)) for each in self._trace.requests
        ]
        for each in self._outages:
            found.append((each.at_s, partial(self._lose, each.engine)))
            found.append((each.at_s + each.for_s, partial(self._picker.regain, each.engine)))
        found.sort(key=lambda pair: pair[0])
        return iter(found)

    def _play_until(self, end_s: float) -> None:
        """Every event of an engine up to that time."""
        agenda, stamps = self._agenda, self._stamps
        while agenda and agenda[0][0] <= end_s:
            now, number, stamp = heappop(agenda)
            if stamp == stamps[number]:
                self._advance(number, now)
                self._plan(number)

    def _advance(self, number: int, now: float) -> None:
        events = self._engines[number].advance(now)
        if events and self._on_change is not None:
            self._on_change(number, now)
        for event in events:
            self._tell(event)

    def _plan(self, number: int) -> None:
        next_s = self._engines[number].next_event_s()
        self._stamps[number] += 1
        if next_s is not None:
            heappush(self._agenda, (next_s, number, self._stamps[number]))

    def _tell(self, event: Event) -> None:
        now, kind, sequence = event
        id_ = cast("str", sequence.tag)
        if kind is Kind.FIRST_TOKEN:
            if self._verdict is not None:
                self._verdict.first_token(self._requests[id_], now)
            self._send(self._picker.first_token(id_, now), now)
        else:
            del self._running[id_]
            self._send(self._picker.complete(id_, now), now)

    def _send(self, sends: Iterable[tuple[str, int]], now: float) -> None:
        for id_, number in sends:
            request = self._requests[id_]
            sequence = EngineRequest(request.prompt_tokens, request.output_tokens, request.blocks, tag=id_)
            self._running[id_] = number, sequence
            self._served[id_] = sequence
            self._advance(number, now)
            self._engines[number].submit(sequence, now)
            if self._on_change is not None:
                self._on_change(number, now)
            self._plan(number)

    def _lose(self, engine: int, now: float) -> Sends:
        """Requests without a first token are sent again; all others are over."""
        lost = [(id_, sequence) for id_, (number, sequence) in self._running.items() if number == engine]
        for id_, _ in lost:
            del self._running[id_]
        self._engines[engine] = self._make(engine)
        self._plan(engine)
        if self._on_change is not None:
            self._on_change(engine, now)
        return self._picker.lose(engine, [self._requests[id_] for id_, each in lost if each.first_token_s is None], now)

    def _result(self, *, is_complete: bool) -> Result:
        return Result([self._served_of(each) for each in self._trace.requests], self._token_s, is_complete)

    def _served_of(self, request: TraceRequest) -> Served:
        sequence = self._served.get(request.id)
        if sequence is None or sequence.first_token_s is None:
            return Served(request, None, None, 0)
        ttft_s = sequence.first_token_s - request.arrived_s
        return Served(request, ttft_s, sequence.finished_s, sequence.cached_tokens)
