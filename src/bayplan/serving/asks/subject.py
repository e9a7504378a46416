"""A model in one decision: what it has already, by rows of the table that is looked at."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from bayplan.cluster.identity import WorkloadKey
    from bayplan.cluster.serving_booking import LoadState
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import Run
    from bayplan.serving.asks.ask import Ask


@dataclass(slots=True, eq=False)
class Subject:
    """`kept`: the state of this version on the rows where it is here; `failed` and `leaving`: rows with such a booking.

    `current` is the number of the server that it is on, and `closed` are the servers that it cannot share. `passes`
    are the runs of profiles to be tried, in order.
    """

    key: WorkloadKey
    ask: Ask
    desired: int
    kept: Mapping[int, LoadState] = field(default_factory=dict)
    failed: Collection[int] = ()
    leaving: Collection[int] = ()
    current: int | None = None
    closed: Collection[int] = ()
    passes: tuple[Run, ...] = ()

    def __str__(self) -> str:
        return str(self.key)


def subject_of(cycle: Cycle) -> Subject:
    """The model that a cycle is about."""
    subject: Subject = cycle.subject
    return subject
