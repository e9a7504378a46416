"""Bookings and budgets: who holds what, and how many replicas must stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cluster.booking import Booking, Budget, CardBooking
from bayplan.cluster.frozen_map import NO_AMOUNTS, FrozenMap
from bayplan.cluster.identity import DEFAULT_NAMESPACE
from bayplan.manifests.fields import present
from bayplan.manifests.native.cards import CUDA, mig_instance
from bayplan.manifests.values import (
    claim_compute_milli,
    claim_cpu_milli,
    claim_mib,
    claimed_of,
    count,
    name,
    priority,
    text,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.manifests.fields import Fields
    from bayplan.manifests.values import Parse


def read_booking(fields: Fields) -> Booking | None:
    """What one replica holds on one worker."""
    cards = [_card(each) for each in fields.children("gpus")]
    booking = fields.build(
        Booking,
        workload=fields.need("workload", name, ""),
        replica=fields.read("replica", count, 0),
        worker=fields.need("worker", name, ""),
        cpu_milli=fields.read("cpu", claim_cpu_milli, 0),
        ram_mib=fields.read("ram", claim_mib, 0),
        cards=present(cards),
        priority=fields.read("priority", priority, 0),
        gang=fields.read("gang", text),
        namespace=fields.read("namespace", name, DEFAULT_NAMESPACE),
        resources=read_resources(fields),
        role=fields.read("role", text, ""),
    )
    fields.finish()
    return booking


def read_resources(fields: Fields) -> FrozenMap[str, int]:
    """Amounts of other resources by name, as a booking or a workload claims them."""
    if "resources" not in fields:
        fields.ignore("resources")
        return NO_AMOUNTS
    return read_amounts(fields, "resources", claimed_of)


def read_amounts(owner: Fields, key: str, parse_of: Callable[[str], Parse[int]]) -> FrozenMap[str, int]:
    """Amounts by name, each read as its resource is counted."""
    fields = owner.child(key)
    found = {name: amount for name in fields if (amount := fields.read(name, parse_of(name))) is not None}
    fields.finish()
    return FrozenMap(found)


def read_budget(fields: Fields) -> Budget | None:
    """How many replicas must stay."""
    workload = fields.need("workload", name, "")
    budget = fields.build(
        Budget,
        workload=workload,
        min_available=fields.need("minAvailable", count, 0),
        namespace=fields.read("namespace", name, DEFAULT_NAMESPACE),
    )
    fields.finish()
    return budget


def _card(fields: Fields) -> CardBooking | None:
    mig = mig_instance(fields.child("mig")) if "mig" in fields else None
    fields.ignore("mig", "uuid", "model")  # a plan's cards, which name more than a booking needs
    card = fields.build(
        CardBooking,
        index=fields.read("index", count),
        runtime=fields.read("runtime", name, CUDA),
        memory_mib=fields.read("memory", claim_mib),
        compute_milli=fields.read("computePercent", claim_compute_milli),
        mig=mig,
        headroom_mib=fields.read("headroom", claim_mib, 0),
        places=fields.read("places", count),
    )
    fields.finish()
    return card
