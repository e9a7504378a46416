"""What the simple policies share: each request goes somewhere at once, and requests in flight are remembered."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.sim.routing.picker import Sends
    from bayplan.sim.routing.trace import TraceRequest


class Immediate:
    """Sends each request to the engine with the least cost; equal engines share by chance.

    By itself it sends by chance alone. Subclasses say what an engine costs; those that keep an account for it override
    the methods that tell of requests.
    """

    name = "chance"

    def __init__(self, engines: int, seed: int = 0) -> None:
        self.live = list(range(engines))
        self._chance = Random(seed)  # noqa: S311 (a simulation)
        self._sent: dict[str, tuple[int, TraceRequest]] = {}

    def costs(self, request: TraceRequest, live: Sequence[int], now: float) -> list[float]:
        """What the request costs on each live engine."""
        return [0.0] * len(live)

    def sent(self, request: TraceRequest, engine: int) -> None:
        """The request is on its way."""

    def computed(self, request: TraceRequest, engine: int) -> None:
        """Its prompt has been computed."""

    def ended(self, request: TraceRequest, engine: int) -> None:
        """It is over; `computed` came before."""

    def forgotten(self, engine: int) -> None:
        """The engine is gone with everything on it."""

    def arrive(self, request: TraceRequest, now: float) -> Sends:
        costs = self.costs(request, self.live, now)
        least = min(costs)
        equal = [engine for engine, cost in zip(self.live, costs, strict=True) if cost == least]
        engine = equal[0] if len(equal) == 1 else self._chance.choice(equal)
        self._sent[request.id] = engine, request
        self.sent(request, engine)
        return ((request.id, engine),)

    def first_token(self, id_: str, now: float) -> Sends:
        engine, request = self._sent[id_]
        self.computed(request, engine)
        return ()

    def complete(self, id_: str, now: float) -> Sends:
        engine, request = self._sent.pop(id_)
        self.ended(request, engine)
        return ()

    def lose(self, engine: int, pending: Sequence[TraceRequest], now: float) -> Sends:
        self.live.remove(engine)
        self._sent = {id_: sent for id_, sent in self._sent.items() if sent[0] != engine}
        self.forgotten(engine)
        return [send for request in pending for send in self.arrive(request, now)]

    def regain(self, engine: int, now: float) -> Sends:
        self.live.append(engine)
        self.live.sort()
        return ()

    def tick(self, now: float) -> Sends:
        return ()
