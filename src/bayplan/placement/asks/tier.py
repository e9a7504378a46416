"""The fit tiers: ways in which a replica may sit on a cluster, in the order in which they are tried."""

from __future__ import annotations

from enum import StrEnum


class Tier(StrEnum):
    """As documents call them; `as-requested` is for workloads that say themselves how many cards they want."""

    ONE_GPU = "one-gpu"
    ONE_WORKER = "one-worker"
    MANY_WORKERS = "many-workers"
    PARTIAL_OFFLOAD = "partial-offload"
    CPU = "cpu"
    AS_REQUESTED = "as-requested"
