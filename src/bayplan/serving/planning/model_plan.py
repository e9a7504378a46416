"""A plan: what becomes of one model on the bookings as they are."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from bayplan.serving.books.model_replica import ModelReplica, Place
    from bayplan.serving.planning.holdings import Holdings
    from bayplan.serving.planning.refusals import Refusals
    from bayplan.serving.served_model import ServedModel


class Verdict(StrEnum):
    """The answer in one word."""

    FITS = "fits"
    PARTLY = "partly"
    WAITING = "waiting"
    """It would fit if there were no booking."""
    INFEASIBLE = "infeasible"


class RemovalReason(StrEnum):
    """Why a booking goes away."""

    SURPLUS = "surplus"
    MOVED = "moved"
    DRAINING = "draining"
    OLD_VERSION = "old-version"
    DELETED = "deleted"


class Removal(NamedTuple):
    """A booking that is no longer wanted."""

    model: ModelReplica
    reason: RemovalReason


class Growth(NamedTuple):
    """How many replicas a server would need so that more of the model fits."""

    server: str
    replicas: int


@dataclass(frozen=True, slots=True, eq=False)
class ModelPlan:
    """`places` are all replicas of this version that there are to be, in the order of preference.

    `added` are those of them that are not booked yet. `revision` is the version of the ledger that it was made on.
    `refusals` is None where nobody asked for reasons, or nothing was refused.
    """

    model: ServedModel
    holdings: Holdings
    verdict: Verdict
    server: str | None
    places: tuple[Place, ...]
    added: tuple[Place, ...]
    removals: tuple[Removal, ...]
    revision: int
    refusals: Refusals | None = None
    growth: Growth | None = None

    @property
    def refused(self) -> bool:
        """Whether nothing changes, because too few replicas fit."""
        return self.verdict in (Verdict.WAITING, Verdict.INFEASIBLE)

    @property
    def version(self) -> int:
        return self.holdings.version
