"""Prefer the endpoint where a request costs least, by an account that the router keeps itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bayplan.framework.plugins import Depends
from bayplan.routing.cost.cost_account import CostAccount
from bayplan.routing.cost.prompt_work import work_of
from bayplan.routing.cost.settings import CostSettings
from bayplan.routing.endpoints.prefix_match import PrefixMatch
from bayplan.routing.factors.parameter_checks import above, at_least, refuse
from bayplan.routing.requests.routed_request import Prompt, RoutedRequest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.framework.cycle import Cycle
    from bayplan.routing.cost.prompt_work import Work
    from bayplan.routing.endpoints.endpoint import Endpoint
    from bayplan.routing.endpoints.engine_metrics import EngineMetrics
    from bayplan.routing.hooks import Sent


@dataclass(frozen=True, slots=True, eq=False)
class PrefillCostScorer:
    """Scores 1 / (1 + cost), the cost in seconds: our own policy, which asks no engine for metrics.

    The cost of an endpoint is the prefill of the prompt's tokens that it has not computed before, a penalty on the same
    seconds because other requests wait for them, the prefill that was sent there and has no first token yet, and a
    little for every token that it decodes from. How fast an endpoint is, is learnt from its first tokens.

    Parameters:
        seconds_per_token: how long an endpoint is believed to compute on one prompt token; a guess, corrected by what
            is learnt. Guess high where first tokens are not seen.
        base_penalty: how many times a request's own prefill counts as harm to others.
        queue_price: how much that grows for each request per endpoint that waits for its first token.
        resident_weight: the share of a prompt token's prefill that each token of a running request counts for.
        ageing: seconds of prefill that one second of waiting makes up for in the order of held requests.
        overtaking_seconds: no held request is overtaken by one that arrived later than this after it.
        hold_tokens: a held request goes to an endpoint that has fewer uncached tokens than this to compute.
        block_size_tokens: tokens of one block in the index of prompts.
    """

    seconds_per_token: float = 1e-4
    base_penalty: float = 2.0
    queue_price: float = 1.0
    resident_weight: float = 0.02
    ageing: float = 0.25
    overtaking_seconds: float = 30.0
    hold_tokens: int = 2048
    block_size_tokens: int = 64
    account: CostAccount = field(init=False, repr=False)

    name = "prefill-cost-scorer"
    reads = ("name",)
    depends = Depends.CYCLE
    storages = ("lists",)

    def __post_init__(self) -> None:
        refuse(
            above("seconds_per_token", self.seconds_per_token, 0),
            at_least("base_penalty", self.base_penalty, 0),
            at_least("queue_price", self.queue_price, 0),
            at_least("resident_weight", self.resident_weight, 0),
            at_least("ageing", self.ageing, 0),
            at_least("overtaking_seconds", self.overtaking_seconds, 0),
            at_least("hold_tokens", self.hold_tokens, 1),
            at_least("block_size_tokens", self.block_size_tokens, 1),
        )
        settings = CostSettings(
            token_s=self.seconds_per_token,
            base_penalty=self.base_penalty,
            queue_price=self.queue_price,
            resident_weight=self.resident_weight,
            ageing=self.ageing,
            overtaking_s=self.overtaking_seconds,
            hold_tokens=self.hold_tokens,
            block_tokens=self.block_size_tokens,
        )
        object.__setattr__(self, "account", CostAccount(settings))

    def score(self, ask: RoutedRequest, rows: Any, cycle: Cycle) -> list[float]:
        costs = self.account.costs(work_of(ask, self.block_size_tokens), rows.name, cycle.now)
        return [1.0 / (1.0 + cost) for cost in costs]

    def note(self, ask: RoutedRequest, rows: Any, cycle: Cycle) -> list[str]:
        """The cost itself, which a score hides."""
        costs = self.account.costs(work_of(ask, self.block_size_tokens), rows.name, cycle.now)
        return [f"costs {cost:.3g} s" for cost in costs]

    def sent(self, request: RoutedRequest, sent: Sent, now: float) -> None:
        """The account grows where the request computes its prompt: at the prefill stage where there is one."""
        if self.account.knows(request.id):
            return  # it was held, and is in the account since it was due
        row = sent.first if sent.prefilled_by is None else sent.prefilled_by
        self.account.send(work_of(request, self.block_size_tokens), sent.table.columns["name"][row], now)

    def first_token(self, request: RoutedRequest, now: float) -> None:
        """Prefill is over."""
        self.account.first_token(request.id, now)

    def completed(self, request: RoutedRequest, usage: tuple[int, int] | None, now: float) -> None:
        """The request is over."""
        self.account.end(request.id)

    def endpoint_up(self, endpoint: Endpoint, now: float) -> None:
        """What a document says that the endpoint remembers."""
        known = endpoint.known
        if known is None:
            return
        self.reported(endpoint.name, known.metrics, now)
        for each in known.cached:
            prompt = Prompt(each.token_ids, each.text)
            cached = RoutedRequest("", model=each.model, prompts=(prompt,), prompt_tokens=prompt.tokens + 1)
            for chain in work_of(cached, self.block_size_tokens).chains:
                self.account.engine(endpoint.name).index.add(chain, now)

    def matches(
        self, request: RoutedRequest, names: Sequence[str], block_sizes: Sequence[int | None], now: float
    ) -> list[PrefixMatch]:
        """How much of the request's prompts each of these endpoints is believed to hold, but for the request itself."""
        work = work_of(request, self.block_size_tokens)
        total = -(-work.prompt_tokens // work.block_tokens)
        return [PrefixMatch(self._matched(work, name), total, work.block_tokens) for name in names]

    def _matched(self, work: Work, name: str) -> int:
        matched = self.account.matched_when_sent(work, name)
        return sum(map(self.account.engine(name).index.matched, work.chains)) if matched is None else matched

    def reported(self, name: str, metrics: EngineMetrics, now: float) -> None:
        """How much the endpoint remembers is the one thing that is read of its metrics."""
        if metrics.capacity_tokens is not None:
            self.account.resize(name, metrics.capacity_tokens)

    def endpoint_down(self, name: str) -> None:
        """Forget an endpoint that is gone."""
        self.account.lose(name)

    def take_over(self, former: PrefillCostScorer) -> None:
        """What was learnt stays when a configuration changes; the new constants hold from now on."""
        former.account.settings = self.account.settings
        object.__setattr__(self, "account", former.account)
