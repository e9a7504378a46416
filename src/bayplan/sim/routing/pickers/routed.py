"""The product's own router as a policy of a replay, with any configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.library.registry import read_routing
from bayplan.routing.endpoints.endpoint import Endpoint
from bayplan.routing.endpoints.engine_metrics import EngineMetrics
from bayplan.routing.own_policy import own_scorer
from bayplan.routing.prefix.brought_blocks import BroughtBlocks
from bayplan.routing.requests.routed_request import RoutedRequest
from bayplan.routing.router import Router

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bayplan.framework.registry import Registry
    from bayplan.routing.answer import Answer
    from bayplan.sim.routing.picker import Sends
    from bayplan.sim.routing.pickers.scraped import Scraped
    from bayplan.sim.routing.trace import TraceRequest

FRESH_S = 1.0  # an engine is scraped anew after this time, also where nothing changed: metrics must not grow old


class Routed:
    """Hands requests to a `Router` as a gateway would, with the trace's blocks instead of text.

    With `scraped`, the router is told of the engines' metrics as old as they would be; without, only of the size of
    their caches. `known` are the plugins that the configuration may name; default: all.
    """

    def __init__(
        self,
        name: str,
        config: Mapping[str, Any],
        *,
        engines: int,
        blocks: int,
        block_tokens: int,
        scraped: Scraped | None = None,
        seed: int = 0,
        known: Registry | None = None,
    ) -> None:
        self.name = name
        self.config = read_routing(config, known)
        self.router = Router(self.config, seed=seed)
        self._scraped = scraped
        self._blocks = blocks
        self._block_tokens = block_tokens
        self._numbers = {f"engine-{number}": number for number in range(engines)}
        self._names = list(self._numbers)
        self._told: dict[int, tuple[Any, float]] = {}
        for number in range(engines):
            self._up(number, 0.0)

    def arrive(self, request: TraceRequest, now: float) -> Sends:
        if self._scraped is not None:
            self._tell(self._scraped, now)
        return self._sends(self.router.arrive(self._request(request, now), now))

    def first_token(self, id_: str, now: float) -> Sends:
        return self._sends(self.router.first_token(id_, now))

    def complete(self, id_: str, now: float) -> Sends:
        return self._sends(self.router.complete(id_, now))

    def lose(self, engine: int, pending: Sequence[TraceRequest], now: float) -> Sends:
        """As a gateway does: the endpoint goes, and each request that had no answer yet is decided again."""
        answers = self.router.endpoint_down(self._names[engine], now)
        for request in pending:
            retried = self.router.failed(request.id, now)
            answers += [] if retried is None else [retried]
        return self._sends(answers)

    def regain(self, engine: int, now: float) -> Sends:
        return self._sends(self._up(engine, now))

    def tick(self, now: float) -> Sends:
        return self._sends(self.router.tick(now))

    def _up(self, number: int, now: float) -> list[Answer]:
        name = self._names[number]
        answers = self.router.endpoint_up(Endpoint(name, f"10.0.{number // 256}.{number % 256}"), now)
        return [*answers, *self.router.report(name, self._metrics(None, None, None), now)]

    def _metrics(self, waiting: int | None, running: int | None, usage: float | None) -> EngineMetrics:
        return EngineMetrics(waiting, running, usage, block_size=self._block_tokens, blocks=self._blocks)

    def _tell(self, scraped: Scraped, now: float) -> None:
        """Report what has changed since it was last told, or was told too long ago."""
        at_s = scraped.at(now)
        for number, name in enumerate(self._names):
            reading = scraped.reading(number, now)
            known, known_s = self._told.get(number, (None, 0.0))
            if reading != known or at_s - known_s >= FRESH_S:
                self._told[number] = reading, at_s
                self.router.report(name, self._metrics(*reading), at_s)

    def _request(self, request: TraceRequest, now: float) -> RoutedRequest:
        return RoutedRequest(
            request.id,
            model="model",
            prompt_tokens=request.prompt_tokens,
            max_tokens=request.output_tokens,
            arrived_s=now,
            notes={BroughtBlocks: BroughtBlocks(self._block_tokens, request.blocks)},
        )

    def _sends(self, answers: Iterable[Answer]) -> Sends:
        return [(each.request.id, self._numbers[each.picked[0].name]) for each in answers if each.ok]


def share_account(pickers: Sequence[Routed]) -> None:
    """Let routers with our own policy see each other's load, before anything is sent."""
    scorers = (own_scorer(each.config) for each in pickers)
    accounts = [scorer.account for scorer in scorers if scorer is not None]
    for account in accounts[1:]:
        account.join(accounts[0])
