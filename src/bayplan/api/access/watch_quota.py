"""How many watches a user may have open at once: each holds a connection and a place in memory."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bayplan.api.status import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.api.access.limits import Limits
    from bayplan.api.access.roles import User


class WatchQuota:
    """Counts open watches by user."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._open: Counter[str] = Counter()

    def check(self, user: User) -> None:
        """429 where the user has as many as it may have."""
        most = self._limits.watches if user.rules_all else self._limits.tenant_watches
        if self._open[user.name] >= most:
            message = f"{user.name} has {most:,} open watches; end some of them first"
            raise Refusal(429, message, headers={"Retry-After": "5"}, details={"retryAfterSeconds": 5})

    def open(self) -> int:
        """All that are open."""
        return self._open.total()

    @contextmanager
    def counted(self, user: User) -> Iterator[None]:
        """Count a watch while it is open."""
        self._open[user.name] += 1
        try:
            yield
        finally:
            self._open[user.name] -= 1
            if not self._open[user.name]:
                del self._open[user.name]
