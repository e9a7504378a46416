"""A cluster as somebody may see it who is allowed to see some namespaces: what others hold, without their names.

Names are replaced before anything is worked out, so that no sentence of an answer can hold one. Nothing but names
depends on them: affinities and budgets are about workloads of one namespace.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bayplan.framework.errors import InputError
from bayplan.manifests.inventory.inventory import Inventory, read_inventory

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from bayplan.cluster.booking import Booking, Budget
    from bayplan.cluster.cluster import Cluster
    from bayplan.cluster.serving_booking import ServingBooking
    from bayplan.manifests.reader import Document

OTHERS = "(other)"
"""The namespace of everything that is not shown; no real namespace has parentheses."""


def read_concealed(documents: Iterable[Document], shown: Collection[str]) -> Inventory:
    """The cluster of these documents, with the names of the `shown` namespaces only.

    Warnings name objects of all namespaces, so that only their number is told.
    """
    try:
        inventory = read_inventory(documents)
    except InputError:
        message = "an object of the cluster cannot be read"
        raise InputError(message, place="cluster", next="ask an administrator: `bayplan doctor` names it") from None
    number = len(inventory.warnings)
    told = (f"{number} warning{'s' * (number > 1)} about the cluster: administrators see them",) if number else ()
    return replace(inventory, cluster=concealed(inventory.cluster, shown), warnings=told, pods=())


def concealed(cluster: Cluster, shown: Collection[str]) -> Cluster:
    """The same bookings and budgets; those of other namespaces get numbers for names, in the order of their names."""
    claims: tuple[Booking | Budget | ServingBooking, ...] = (
        *cluster.bookings,
        *cluster.budgets,
        *cluster.serving_bookings,
    )
    owners = sorted({each.key for each in claims if each.namespace not in shown})
    gangs = sorted({each.gang_key for each in cluster.bookings if each.gang_key and each.namespace not in shown})
    names = {key: f"workload-{number}" for number, key in enumerate(owners, 1)}
    named_gangs = {key: f"gang-{number}" for number, key in enumerate(gangs, 1)}

    def booking(each: Booking) -> Booking:
        if each.key not in names:
            return each
        gang = named_gangs[each.gang_key] if each.gang_key else None
        return replace(each, namespace=OTHERS, workload=names[each.key], gang=gang, role="")

    def budget(each: Budget) -> Budget:
        return replace(each, namespace=OTHERS, workload=names[each.key]) if each.key in names else each

    def serving(each: ServingBooking) -> ServingBooking:
        return replace(each, namespace=OTHERS, model=names[each.key]) if each.key in names else each

    return replace(
        cluster,
        bookings=tuple(map(booking, cluster.bookings)),
        budgets=tuple(map(budget, cluster.budgets)),
        serving_bookings=tuple(map(serving, cluster.serving_bookings)),
    )
