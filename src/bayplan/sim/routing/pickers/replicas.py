"""Several routers of one pool: each sees a share of the requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.sim.routing.picker import Picker, Sends
    from bayplan.sim.routing.trace import TraceRequest


class Replicas:
    """Requests go to routers in turn, as a load balancer would spread them; what happens to a request is its router's.

    Routers that hold requests are asked after every event, because another router's event may have made room.
    """

    def __init__(self, pickers: Sequence[Picker]) -> None:
        self.name = f"{pickers[0].name} x {len(pickers)}"
        self._pickers = pickers
        self._next = 0
        self._owner: dict[str, int] = {}

    def arrive(self, request: TraceRequest, now: float) -> Sends:
        owner = self._owner[request.id] = self._next
        self._next = (owner + 1) % len(self._pickers)
        return self._with_others(owner, self._pickers[owner].arrive(request, now), now)

    def first_token(self, id_: str, now: float) -> Sends:
        owner = self._owner[id_]
        return self._with_others(owner, self._pickers[owner].first_token(id_, now), now)

    def complete(self, id_: str, now: float) -> Sends:
        owner = self._owner.pop(id_)
        return self._with_others(owner, self._pickers[owner].complete(id_, now), now)

    def lose(self, engine: int, pending: Sequence[TraceRequest], now: float) -> Sends:
        sends: list[tuple[str, int]] = []
        for number, picker in enumerate(self._pickers):
            own = [request for request in pending if self._owner[request.id] == number]
            sends += picker.lose(engine, own, now)
        return sends

    def regain(self, engine: int, now: float) -> Sends:
        return [send for picker in self._pickers for send in picker.regain(engine, now)]

    def tick(self, now: float) -> Sends:
        return [send for picker in self._pickers for send in picker.tick(now)]

    def _with_others(self, owner: int, sends: Sends, now: float) -> Sends:
        found = list(sends)
        for number, picker in enumerate(self._pickers):
            if number != owner:
                found += picker.tick(now)
        return found
