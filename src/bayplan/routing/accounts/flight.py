"""A request on its way: which endpoints carry it, and what it holds there until its end."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bayplan.routing.accounts.account import Account
    from bayplan.routing.answer import Answer
    from bayplan.routing.requests.routed_request import RoutedRequest


class Flight:
    """One dispatched request. It is taken off its endpoints once, whatever ends it and however often.

    It is one request on `primary` and one on `prefill`, the endpoint of the prefill stage. Its uncached prompt tokens
    are on `prefill`, else on `primary`, until the first token; `output_tokens` are on `primary` until the end.
    """

    __slots__ = (
        "_holds", "answer", "has_first_token", "number", "output_tokens", "prefill", "primary", "request", "sent_s",
        "tried", "uncached_tokens",
    )  # fmt: skip

    def __init__(
        self,
        request: RoutedRequest,
        answer: Answer,
        number: int,
        sent_s: float,
        primary: Account,
        prefill: Account | None = None,
        uncached_tokens: float = 0,
        output_tokens: float = 0,
    ) -> None:
        """`number`: its place in the order of dispatch."""
        self.request = request
        self.answer = answer
        self.number = number
        self.sent_s = sent_s
        self.primary = primary
        self.prefill = prefill
        self.uncached_tokens = uncached_tokens
        self.output_tokens = output_tokens
        self.has_first_token = False
        self.tried: frozenset[str] = frozenset()  # names of endpoints that failed it
        self._holds = False

    def take_off(self) -> None:
        """Reserve: the request counts on its endpoints from now on."""
        self._holds = True
        primary, prefill = self.primary, self.prefill
        primary.requests += 1
        primary.reserve(self)
        if prefill is not None:
            prefill.requests += 1
            if prefill is not primary:
                prefill.reserve(self)
            prefill.hold(self.uncached_tokens)
            prefill.change()
        else:  # the rule, in fewer steps
            primary.tokens += self.uncached_tokens
            primary.holders += 1
        if self.output_tokens:
            primary.hold(self.output_tokens)
        primary.change()

    def first_token(self) -> None:
        """The prompt is done."""
        if self._holds and not self.has_first_token:
            primary = self.primary
            if self.prefill is None:
                primary.drop(self.uncached_tokens)
            else:
                self._leave_prefill()
                self.prefill.change()
            self.has_first_token = True
            primary.run(self)
            primary.change()

    def land(self, *, is_evicted: bool = False) -> None:
        """The request has ended."""
        if self._holds:
            self.leave(is_evicted=is_evicted)
            self.primary.change()
            if self.prefill is not None:
                self.prefill.change()

    def leave(self, *, is_evicted: bool) -> None:
        """Take it off its accounts; the table does not hear of it."""
        primary = self.primary
        if not self.has_first_token:
            self._leave_prefill(is_evicted=is_evicted)
        self._holds = False
        primary.requests -= 1
        primary.leave(self, is_running=self.has_first_token, is_evicted=is_evicted)
        if self.output_tokens:
            primary.drop(self.output_tokens)

    def loads_without(self) -> list[tuple[Account, dict[str, Any]]]:
        """Its accounts, with their cells as they would be if it were evicted; nothing changes."""
        trial = copy(self)
        trial.primary = self.primary.clone()
        trial.prefill = trial.primary if self.prefill is self.primary else self.prefill and self.prefill.clone()
        trial.leave(is_evicted=True)
        loads = [(self.primary, trial.primary.load())]
        if self.prefill is not None and trial.prefill is not None:
            loads.append((self.prefill, trial.prefill.load()))
        return loads

    def _leave_prefill(self, *, is_evicted: bool = False) -> None:
        prefill = self.prefill
        (prefill or self.primary).drop(self.uncached_tokens)
        if prefill is not None:
            prefill.requests -= 1
            if prefill is not self.primary:
                prefill.leave(self, is_running=False, is_evicted=is_evicted)
