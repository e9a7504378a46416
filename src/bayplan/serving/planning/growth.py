"""Which server should grow for a model that does not fit whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.serving.planning.model_plan import Growth
from bayplan.serving.scorers.loaded import SCORES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.serving.books.ledger import Ledger
    from bayplan.serving.books.server_book import ServerBook
    from bayplan.serving.planning.holdings import Holdings
    from bayplan.serving.planning.refusals import Refusals
    from bayplan.serving.served_model import ServedModel

CLOSED = frozenset({"not-shared", "pinned-elsewhere", "server-deleted", "dedicated"})
"""Codes of servers that a further replica would not help."""


@dataclass(frozen=True, slots=True)
class Shortage:
    """A model that is refused, or placed on `server` only partly, and what stands in its way."""

    model: ServedModel
    holdings: Holdings
    refusals: Refusals
    server: str | None

    def asked(self, ledger: Ledger) -> Iterator[ServerBook]:
        """The servers on which a further, empty replica would help, in the order of servers."""
        if self.model.preloaded:
            return
        for name in self._order(ledger):
            book = ledger.servers[name]
            if self._may_use(name) and self._would_hold(book):
                yield book

    def growth(self, ledger: Ledger) -> Growth | None:
        """The first server that may grow so far that the model fits at least with its minimum."""
        for book in self.asked(ledger):
            target = self._target(book)
            if target is not None:
                return Growth(book.server.name, target)
        return None

    def _order(self, ledger: Ledger) -> list[str]:
        """The current server, then those that give more replicas, more free memory, then by name."""
        current, desired = self.holdings.current_server, self.model.desired
        given = {name: self._given_mib(book, desired) for name, book in ledger.servers.items()}
        return sorted(
            ledger.servers,
            key=lambda name: (name != current, -min(self._fitting(name), desired), -given[name], name),
        )

    def _given_mib(self, book: ServerBook, desired: int) -> int:
        """Free memory of the replicas that the server would give, those that have the model first."""
        name, replicas = book.server.name, book.replicas
        kept = {each.index: SCORES[each.state] for each in reversed(self.holdings.here) if each.server == name}
        fitting = [index for index, codes in self.refusals.servers[name].replicas.items() if not codes]
        given = sorted((-kept.get(index, 0.0), -(replicas[index].free_mib or 0), index) for index in fitting)[:desired]
        return -sum(negative_mib for _, negative_mib, _ in given)

    def _fitting(self, name: str) -> int:
        return self.refusals.servers[name].fitting

    def _may_use(self, name: str) -> bool:
        if self.server is not None:
            return name == self.server
        return CLOSED.isdisjoint(each.code for each in self.refusals.servers[name].own)

    def _would_hold(self, book: ServerBook) -> bool:
        server, need_mib = book.server, self.holdings.need_mib
        fits = not need_mib or (server.memory_mib is not None and need_mib <= server.memory_mib)
        return fits and set(server.capabilities).issuperset(self.model.all_requirements)

    def _target(self, book: ServerBook) -> int | None:
        server = book.server
        if server.min_replicas is None or server.max_replicas is None:
            return None
        base, fitting = len(book.staying), self._fitting(server.name)
        target = min(server.max_replicas, base + self.model.desired - fitting)
        enough = fitting + target - base >= self.model.least
        return target if enough and target > book.expected else None
