"""Which models may have to leave a server because another one came that shares with nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from bayplan.cluster.identity import WorkloadKey
    from bayplan.serving.books.ledger import Ledger


def upset_holders(key: WorkloadKey, ledger: Ledger, dedicated: Collection[WorkloadKey]) -> Iterator[WorkloadKey]:
    """The other models on the servers of a model that was just booked, where one of the two is dedicated.

    A model is dedicated if its document says so (`dedicated`), or one of its bookings.
    """
    mine = key in dedicated or ledger.is_dedicated(key)
    for server in dict.fromkeys(each.server for each in ledger.of(key) if each.holding):
        for other in list(ledger.servers[server].holders):
            if other != key and (mine or other in dedicated or ledger.is_dedicated(other)):
                yield other
