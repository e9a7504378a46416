"""The bound: our own late policy over engines that share a cache without limits."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from bayplan.routing.cost.cost_account import CostAccount
from bayplan.routing.cost.held_queue import Held, HeldQueue, has_grown
from bayplan.routing.cost.prompt_work import Work
from bayplan.routing.cost.settings import CostSettings
from bayplan.routing.prefix.block_hashes import Chain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.sim.routing.picker import Sends
    from bayplan.sim.routing.trace import TraceRequest


class UnlimitedIndex:
    """Remembers every block that was ever sent anywhere."""

    def __init__(self) -> None:
        self.capacity = 0
        self._sent: set[int] = set()

    def matched(self, chain: Chain) -> int:
        """How many blocks of a prompt are known from the first on."""
        below, above, blocks = 0, chain.size, chain.hashes
        while below < above:  # a block is never known without all before it
            middle = (below + above) // 2
            if blocks[middle] in self._sent:
                below = middle + 1
            else:
                above = middle
        return below

    def add(self, chain: Chain, now: float) -> None:
        """A prompt was sent to some engine."""
        self._sent.update(chain.hashes)

    def shrink(self, capacity: int) -> None:
        """It has no limit."""


class _SharedQueue(HeldQueue):
    """All engines have one index, which forgets nothing: what was sent anywhere is looked up for all, and only then."""

    def _remeasure(self, row: int, sent: Work) -> None:
        for held in self._ordered:
            if has_grown(held, row, sent):
                self._measure(held)
                self._is_sorted = False

    def _look_up(self, held: Held, row: int) -> None:
        if row == 0:
            super()._look_up(held, row)
        else:
            held.matched[row], held.own_s[row] = held.matched[0], held.own_s[0]


class UnlimitedCache:
    """What late would reach if every engine had everything that any engine computed."""

    name = "bound"

    def __init__(self, engines: int, block_tokens: int, token_s: float, seed: int = 0) -> None:
        index = UnlimitedIndex()
        self._block_tokens = block_tokens
        self._account = CostAccount(
            CostSettings(token_s=token_s, block_tokens=block_tokens), index=lambda _size, _capacity: index
        )
        self._queue = _SharedQueue(self._account, Random(seed))  # noqa: S311 (a simulation)
        self._live = [str(number) for number in range(engines)]

    def arrive(self, request: TraceRequest, now: float) -> Sends:
        full = request.blocks[: request.prompt_tokens // self._block_tokens]
        chains = (Chain(full, len(full)),)
        self._queue.hold(Work(request.id, request.prompt_tokens, chains, self._block_tokens), request.arrived_s)
        return self._due(now)

    def first_token(self, id_: str, now: float) -> Sends:
        self._account.first_token(id_, now)
        return self._due(now)

    def complete(self, id_: str, now: float) -> Sends:
        self._account.end(id_)
        return self._due(now)

    def lose(self, engine: int, pending: Sequence[TraceRequest], now: float) -> Sends:
        self._live.remove(str(engine))
        self._account.lose(str(engine))
        return [send for request in pending for send in self.arrive(request, now)]

    def regain(self, engine: int, now: float) -> Sends:
        self._live.append(str(engine))
        return self._due(now)

    def tick(self, now: float) -> Sends:
        return self._due(now)

    def _due(self, now: float) -> Sends:
        return [(id_, int(name)) for id_, name in self._queue.due(self._live, now)]
