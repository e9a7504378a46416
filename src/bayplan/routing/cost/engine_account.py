"""What this router knows of one engine because it sent the requests itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bayplan.routing.cost.rate import Rate

if TYPE_CHECKING:
    from bayplan.routing.cost.settings import CostSettings


class Pending(NamedTuple):
    """A request that was sent and has no first token yet."""

    own_s: float
    sent_s: float
    prompt_tokens: int


class EngineLoad:
    """Work before first tokens and tokens that are decoded from; several routers of one pool may share it.

    `work_s` is the predicted prefill of pending requests, at rate 1: the rate of the day multiplies it when it is read.
    """

    __slots__ = ("oldest_own_s", "oldest_since_s", "pending", "rate", "resident", "resident_tokens", "work_s")

    def __init__(self, settings: CostSettings) -> None:
        self.rate = Rate(settings)
        self.pending: dict[str, Pending] = {}  # the oldest first
        self.resident: dict[str, int] = {}  # prompt tokens of requests between first token and end
        self.work_s = 0.0
        self.resident_tokens = 0
        self.oldest_own_s = self.oldest_since_s = 0.0  # of the pending request that is computed now

    def add(self, id_: str, own_s: float, prompt_tokens: int, now: float) -> None:
        """A request was sent here."""
        self.pending[id_] = Pending(own_s, now, prompt_tokens)
        self.work_s += own_s
        if len(self.pending) == 1:
            self.oldest_own_s = own_s
            self.oldest_since_s = max(now, self.rate.last_first_token_s)

    def take(self, id_: str) -> Pending | None:
        """Remove a pending request."""
        pending = self.pending.pop(id_, None)
        if pending is not None:
            self._taken(pending.own_s)
        return pending

    def leave(self, id_: str) -> None:
        """A request has ended."""
        self.resident_tokens -= self.resident.pop(id_, 0)

    def first_token(self, id_: str, now: float, bucket_s: float) -> bool:
        """Prefill of a request is over; whether the engine's raw rate is another now."""
        pending = self.pending.pop(id_, None)
        if pending is None:
            return False
        own_s, sent_s, prompt_tokens = pending
        self.resident[id_] = prompt_tokens
        self.resident_tokens += prompt_tokens
        is_new = self.rate.observe(own_s, sent_s, now, bucket_s)
        self._taken(own_s)
        return is_new

    def running_s(self, now: float, share: float) -> float:
        """Seconds that the oldest pending request has been computed for, at most a share of its prediction."""
        most_s = share * self.rate.used * self.oldest_own_s
        since_s = now - self.oldest_since_s
        return min(since_s, most_s)

    def _taken(self, own_s: float) -> None:
        """A request is pending no more: the oldest that is left is computed now, or since the first token before it."""
        if self.pending:
            self.work_s -= own_s
            oldest = next(iter(self.pending.values()))
            self.oldest_own_s = oldest.own_s
            self.oldest_since_s = max(oldest.sent_s, self.rate.last_first_token_s)
        else:
            self.work_s = self.oldest_own_s = 0.0  # sums of floats drift: none left is 0
