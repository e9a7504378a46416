"""Which bookings of a model are no longer wanted, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.serving.planning.model_plan import Removal, RemovalReason

if TYPE_CHECKING:
    from collections.abc import Collection

    from bayplan.serving.books.ledger import Ledger
    from bayplan.serving.books.model_replica import ModelReplica, Place
    from bayplan.serving.planning.holdings import Holdings
    from bayplan.serving.served_model import ServedModel


def removals_of(
    model: ServedModel, holdings: Holdings, ledger: Ledger, server: str | None, places: Collection[Place]
) -> tuple[Removal, ...]:
    """What goes away once the model is at these places of a server; `server` None: none is wanted."""
    if model.preloaded:
        return ()
    if model.deleted:
        every = sorted((*holdings.own, *holdings.older, *holdings.higher), key=lambda each: each.number)
        return tuple(Removal(each, RemovalReason.DELETED) for each in every if each.here)
    seen: set[Place] = set()
    found = [Removal(each, RemovalReason.OLD_VERSION) for each in holdings.older if each.here]
    for each in holdings.here:
        if each.place in places and each.place not in seen:
            seen.add(each.place)
        else:
            found.append(Removal(each, _reason(each, server, ledger)))
    return tuple(found)


def _reason(model: ModelReplica, server: str | None, ledger: Ledger) -> RemovalReason:
    if server is None:
        return RemovalReason.SURPLUS
    if model.server != server:
        return RemovalReason.MOVED
    is_draining = ledger.servers[model.server].replicas[model.index].replica.draining
    return RemovalReason.DRAINING if is_draining else RemovalReason.SURPLUS
