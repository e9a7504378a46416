"""The columns of a snapshot: what each means, how it is stored, and whether bookings change it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bayplan.cluster.topology import LEVELS, Level
from bayplan.cluster.worker import WorkerStatus

UNKNOWN = -1
"""The value of every column for what is not known; no known amount is negative, and 0 means none."""

MASK_CARDS = 16
"""With at most this many cards, a worker's wholly free cards are one bit mask too."""

MEMORY_SLICES = 8

STATUSES: tuple[WorkerStatus, ...] = tuple(WorkerStatus)
"""What the numbers of column `status` mean."""

Per = Literal["worker", "card", "slice", "profile", "resource"]


@dataclass(frozen=True, slots=True)
class ColumnSpec:
    """One column; `absent` stands where a worker has fewer cards than the widest one."""

    name: str
    dtype: str
    meaning: str
    per: Per = "worker"
    absent: int = 0


def domain_column(level: Level) -> str:
    """The column that says in which domain of a level a worker is."""
    return level.replace("-", "_") + "_id"


STATIC: tuple[ColumnSpec, ...] = (
    ColumnSpec("uid_hash", "i8", "which worker it is: `uid_hash` of its uid"),
    ColumnSpec("labels_id", "i4", "distinct set of labels, `pools.labels`"),
    ColumnSpec("taints_id", "i4", "distinct list of taints, `pools.taints`"),
    ColumnSpec("path_id", "i4", "distinct topology path, `pools.paths`"),
    *(ColumnSpec(domain_column(level), "i4", f"number in `domains[{level.name}]`, or unknown") for level in LEVELS),
    ColumnSpec("links_id", "i4", "distinct link matrix, `pools.links`, or unknown"),
    ColumnSpec("cards_id", "i4", "distinct set of cards, `pools.cards`"),
    ColumnSpec("numa_id", "i4", "distinct NUMA zones, `pools.numa`, or unknown"),
    ColumnSpec("utilization_id", "i4", "distinct measurements, `pools.utilization`, or unknown"),
    ColumnSpec("cached_models_id", "i4", "distinct cached models, `pools.cached_models`"),
    ColumnSpec("services_id", "i4", "distinct co-located services, `pools.services`"),
    ColumnSpec("cpu_milli", "i8", "CPU offered, or unknown"),
    ColumnSpec("ram_mib", "i8", "RAM offered, or unknown"),
    ColumnSpec("reserved_ram_mib", "i8", "RAM kept back"),
    ColumnSpec("reserved_gpu_mib", "i8", "memory kept back on each card"),
    ColumnSpec("usd_per_hour", "f8", "price, or unknown"),
    ColumnSpec("power_watts", "f8", "power, or unknown"),
    ColumnSpec("carbon_g_per_kwh", "f8", "emissions of the grid, or unknown"),
    ColumnSpec("spot", "?", "whether it is a spot machine"),
    ColumnSpec("card_count", "i4", "how many cards the worker has"),
    ColumnSpec("card_model_id", "i4", "product, `pools.models`, or unknown", "card", UNKNOWN),
    ColumnSpec("card_runtime_id", "i4", "`pools.runtimes`", "card", UNKNOWN),
    ColumnSpec("closes_full", "?", "whether cards whose compute is all booked take no further share, as under HAMi"),
    ColumnSpec("device_offer_id", "i4", "what requests by a resource's name get, `pools.device_offers`"),
    ColumnSpec("card_memory_mib", "i8", "size, or unknown", "card"),
    ColumnSpec("card_size_mib", "i8", "size by which people ask for cards: the nominal one, or unknown", "card"),
    ColumnSpec("card_places", "i4", "how many shares may be on the card at once; 0 where there is no limit", "card"),
    ColumnSpec("card_idle_percent", "i4", "how much of an idle card others may use", "card"),
    ColumnSpec("card_compute_milli", "i4", "1000 where there is a card", "card"),
    ColumnSpec("card_healthy", "?", "whether requests may see the card", "card"),
    ColumnSpec("card_numa", "i4", "NUMA zone, or unknown", "card", UNKNOWN),
    ColumnSpec("card_pcie_gen", "i4", "PCIe generation, or unknown", "card", UNKNOWN),
    ColumnSpec("card_mig_id", "i4", "distinct MIG layout, `pools.layouts`", "card", UNKNOWN),
    ColumnSpec("card_mig_enabled", "?", "whether the card is cut, or about to be", "card"),
    ColumnSpec("card_mig_slices", "i4", "memory slices that a cut card has", "card", MEMORY_SLICES),
    ColumnSpec("loose_slices", "i4", "instances of no known card, by `pools.profiles`", "profile"),
    ColumnSpec(
        "resource_offered", "i8", "amounts of other resources, by `pools.resources`; 0 where not offered", "resource"
    ),
)

HELD: tuple[ColumnSpec, ...] = (
    ColumnSpec("status", "i1", "index into STATUSES"),
    ColumnSpec("bookings", "i4", "bookings on the worker"),
    ColumnSpec("cpu_booked_milli", "i8", "CPU booked"),
    ColumnSpec("ram_booked_mib", "i8", "RAM booked"),
    ColumnSpec("card_observed_mib", "i8", "memory seen in use, or unknown", "card", UNKNOWN),
    ColumnSpec("card_bookings", "i4", "bookings that hold any part of the card", "card"),
    ColumnSpec("card_wholes", "i4", "bookings that hold the card whole", "card"),
    ColumnSpec("card_shares", "i4", "bookings that hold a share of the card", "card"),
    ColumnSpec("card_share_mib", "i8", "memory booked by shares", "card"),
    ColumnSpec("card_share_milli", "i8", "compute booked by shares", "card"),
    ColumnSpec("card_headroom_mib", "i8", "memory beside the bookings that their engines need to be free", "card"),
    ColumnSpec("card_places_held", "i4", "places that shares hold", "card"),
    ColumnSpec(
        "card_host_milli", "i8", "CPU of bookings whose cards are in one NUMA zone, at their first card", "card"
    ),
    ColumnSpec("card_host_mib", "i8", "RAM of the same bookings", "card"),
    ColumnSpec("card_mig_held", "i4", "how many instances hold each memory slice", "slice"),
    ColumnSpec("loose_held", "i4", "instances of no known card that are booked", "profile"),
    ColumnSpec("resource_held", "i8", "amounts of other resources that are booked", "resource"),
)
"""State that is counted; everything in LEFT follows from it."""

HOST_OF_CARDS: tuple[str, str] = ("card_host_milli", "card_host_mib")
"""Counted only on workers that tell their NUMA zones."""

LEFT: tuple[ColumnSpec, ...] = (
    ColumnSpec("cpu_free_milli", "i8", "CPU free, or unknown"),
    ColumnSpec("ram_free_mib", "i8", "RAM free, or unknown"),
    ColumnSpec("card_booked_mib", "i8", "memory booked: shares, instances, all of a card held whole", "card"),
    ColumnSpec("card_foreign_mib", "i8", "memory seen in use that is neither booked nor headroom", "card"),
    ColumnSpec("card_free_mib", "i8", "memory free, or unknown; 0 on a card held whole", "card"),
    ColumnSpec(
        "card_share_free_mib",
        "i8",
        "memory that a share may take, or -1: unknown, or not to be shared",
        "card",
        UNKNOWN,
    ),
    ColumnSpec("card_free_milli", "i4", "compute free; 0 on a card held whole", "card"),
    ColumnSpec("card_places_free", "i4", "places that may be given away; 0 on a card without places", "card"),
    ColumnSpec("card_mig_taken", "u1", "mask of the memory slices in use", "card"),
    ColumnSpec("card_wholly_free", "?", "may be given whole", "card"),
    ColumnSpec("card_shareable", "?", "may give shares, if enough is free", "card"),
    ColumnSpec("card_cuttable", "?", "may give MIG instances, if its layout has room", "card"),
    ColumnSpec("wholly_free", "u2", f"`card_wholly_free` as bits; 0 where there are more than {MASK_CARDS} cards"),
    ColumnSpec("wholly_free_count", "i4", "how many cards may be given whole"),
    ColumnSpec("gpu_booked_mib", "i8", "memory booked over all cards"),
    ColumnSpec("loose_free", "i4", "instances of no known card that are free", "profile"),
    ColumnSpec("resource_free", "i8", "amounts of other resources that are free", "resource"),
)

STATE: tuple[ColumnSpec, ...] = HELD + LEFT

CONSTANTS: tuple[str, ...] = ("pools", "hosts")
"""Values that all rows share and that never change: the distinct values behind the numbers, and who hosts a service."""

SHARED: tuple[str, ...] = ("outlook",)
"""Values that all rows share and that change in epochs: what is expected to come, None where that is not known."""

STATIC_NAMES: tuple[str, ...] = tuple(spec.name for spec in STATIC)
STATE_NAMES: tuple[str, ...] = tuple(spec.name for spec in STATE)
