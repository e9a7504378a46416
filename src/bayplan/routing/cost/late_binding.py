"""Our own policy where the data plane can hold requests: each is sent when the endpoint that suits it has room."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.routing.cost.held_queue import HeldQueue
from bayplan.routing.cost.prompt_work import work_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from bayplan.routing.cost.cost_account import CostAccount
    from bayplan.routing.requests.routed_request import RoutedRequest


class LateBinding:
    """Holds requests in the order of our own policy.

    The router calls `hold` with an arrival and `due` after everything that may have made room: an arrival, a first
    token, an end, an endpoint up or down. What `due` returns is in the account already; the router then does for these
    requests what it does for every request that it sends. All other changes reach the account through the hooks of
    `prefill-cost-scorer`, which has to hear of them before `due` is asked.
    """

    def __init__(self, account: CostAccount, chance: Random) -> None:
        self._account = account
        self._queue = HeldQueue(account, chance)
        self._requests: dict[str, RoutedRequest] = {}

    def __len__(self) -> int:
        return len(self._requests)

    def __contains__(self, id_: str) -> bool:
        return id_ in self._requests

    @property
    def requests(self) -> list[RoutedRequest]:
        """Those that are held, in the order of arrival here."""
        return list(self._requests.values())

    def hold(self, request: RoutedRequest, allowed: frozenset[str] | None = None) -> None:
        """A request waits from `request.arrived_s` on; `allowed` names the endpoints that it may go to, None: all.

        A request whose endpoint was lost before its first token is held again in the same way: it kept its time.
        """
        self._requests[request.id] = request
        work = work_of(request, self._account.settings.block_tokens)
        self._queue.hold(work, request.arrived_s, allowed)

    def send_at_once(self, request: RoutedRequest, live: Sequence[str], now: float) -> tuple[str, int] | None:
        """Where a request goes that comes while none is held, and its tokens to compute there; None: it is to be held.

        The choice is that of `hold` and `due`, without the work that holding makes.
        """
        work = work_of(request, self._account.settings.block_tokens)
        return self._queue.send_at_once(work, live, now)

    def withdraw(self, id_: str) -> RoutedRequest | None:
        """A request waits no longer: its client has gone, or its time is over. None where it does not wait."""
        self._queue.withdraw(id_)
        return self._requests.pop(id_, None)

    def due(self, live: Sequence[str], now: float) -> list[tuple[RoutedRequest, str]]:
        """Requests that go now, each with the name of its endpoint; `live` are the names of all that are ready."""
        if not self._requests:
            return []
        return [(self._requests.pop(id_), name) for id_, name in self._queue.due(live, now)]
