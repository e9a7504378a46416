"""The endpoints of a pool, as a table that is kept and written in place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.framework.list_table import ListTable
from bayplan.routing.accounts.account import Account
from bayplan.routing.endpoints.columns import STATE, STATIC

if TYPE_CHECKING:
    from collections.abc import Collection

    from bayplan.routing.endpoints.endpoint import Endpoint
    from bayplan.routing.endpoints.engine_metrics import EngineMetrics


class Pool:
    """Endpoints in the order in which they came, ready or not; `table` has one row for each.

    A new table is made only where an endpoint comes or goes. `ready` counts those that may be picked, `changes` how
    often an endpoint came, went, or was another than before.
    """

    changes = 0

    def __init__(self) -> None:
        self._accounts: dict[str, Account] = {}
        self._changed: set[Account] = set()
        self._rebuild()

    @property
    def table(self) -> ListTable:
        """The table as it is now: ask for it again after a request has come or gone."""
        if self._changed:
            for account in self._changed:
                account.write()
            self._changed.clear()
        return self._table

    def __contains__(self, name: object) -> bool:
        return name in self._accounts

    def __getitem__(self, name: str) -> Account:
        return self._accounts[name]

    def is_ready(self, name: str) -> bool:
        """Whether there is such an endpoint, and it may be picked."""
        return name in self._accounts and self._accounts[name].endpoint.ready

    def named(self, name_or_address: str) -> str | None:
        """The name of an endpoint that is given by its name or its address; None where there is none."""
        if name_or_address in self._accounts:
            return name_or_address
        found = (each.endpoint.name for each in self.rows if each.endpoint.address == name_or_address)
        return next(found, None)

    def up(self, endpoint: Endpoint, now: float) -> bool:
        """An endpoint that is new, or whose labels or readiness changed; whether it is new."""
        account = self._accounts.get(endpoint.name)
        if account is None or account.endpoint.address != endpoint.address:
            # Another address is another server, which knows nothing of what was sent to the former one.
            self._accounts[endpoint.name] = Account(endpoint, now)
            self._rebuild()
            return True
        account.learn(endpoint, now)
        self.table.write(account.row, account.cells())
        self._count_ready()
        return False

    def down(self, name: str) -> bool:
        """An endpoint is gone; whether it was there."""
        if self._accounts.pop(name, None) is None:
            return False
        self._rebuild()
        return True

    def report(self, name: str, metrics: EngineMetrics, now: float) -> None:
        """Metrics of an endpoint, measured at `now`."""
        account = self._accounts.get(name)
        if account is not None:
            account.report(metrics, now)
            self.table.write(account.row, account.cells())

    def holds(self, account: Account) -> bool:
        """Whether the account is of an endpoint that is in the pool, not of one that went or that came back anew."""
        return account.row < len(self.rows) and self.rows[account.row] is account

    def candidates(self, subset: Collection[str] | None) -> list[int]:
        """The rows that are ready and in the subset: an entry with a port is that endpoint, one without is the host."""
        rows = [account.row for account in self.rows if account.endpoint.ready]
        if subset is None:
            return rows
        columns = self._table.columns
        addresses, ips = columns["address"], columns["ip"]
        return [row for row in rows if addresses[row] in subset or ips[row] in subset]

    def inflight(self) -> dict[str, tuple[int, float]]:
        """Requests and tokens in flight by endpoint."""
        return {account.endpoint.name: (account.requests, account.tokens) for account in self.rows}

    def _rebuild(self) -> None:
        self.rows: list[Account] = list(self._accounts.values())
        self._table = _table(self.rows)
        self._changed.clear()
        for row, account in enumerate(self.rows):
            account.place(row, self._table, self._changed)
        self._count_ready()

    def _count_ready(self) -> None:
        self.changes += 1
        self.ready = sum(account.endpoint.ready for account in self.rows)


def _table(accounts: Collection[Account]) -> ListTable:
    cells = [account.cells() for account in accounts]
    return ListTable(
        static={name: [each[name] for each in cells] for name in STATIC},
        state={name: [each[name] for each in cells] for name in STATE},
        keys=[account.endpoint.name for account in accounts],
    )
