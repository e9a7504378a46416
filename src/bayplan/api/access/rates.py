"""Requests per second, of each user."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

from bayplan.api.status import Refusal

if TYPE_CHECKING:
    from bayplan.api.access.limits import Limits
    from bayplan.api.access.roles import User

_MOST_USERS = 10_000  # rates that are remembered; the oldest is forgotten first


@dataclass(slots=True)
class Rate:
    """A bucket that fills with time and holds one second's worth; each request takes one out of it."""

    per_s: float
    left: float
    seen_s: float

    def takes_one(self, now_s: float) -> bool:
        """Whether one was left."""
        left = self.left + (now_s - self.seen_s) * self.per_s
        self.left = left = min(left, max(1.0, self.per_s))
        self.seen_s = now_s
        if left < 1:
            return False
        self.left = left - 1
        return True


class Rates:
    """One bucket for each user."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._of_users: dict[str, Rate] = {}

    def check(self, user: User) -> None:
        """429 where the user asked too often."""
        now_s = monotonic()
        rate = self._of_users.get(user.name) or self._new(user, now_s)
        if not rate.takes_one(now_s):
            message = f"more than {rate.per_s:g} requests per second; wait a second"
            raise Refusal(429, message, headers={"Retry-After": "1"}, details={"retryAfterSeconds": 1})

    def _new(self, user: User, now_s: float) -> Rate:
        if len(self._of_users) >= _MOST_USERS:
            del self._of_users[next(iter(self._of_users))]
        per_s = self._limits.requests_per_s if user.rules_all else self._limits.tenant_requests_per_s
        rate = self._of_users[user.name] = Rate(per_s, max(1.0, per_s), now_s)
        return rate
