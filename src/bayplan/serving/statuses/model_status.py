"""The state of a model: what its bookings and its plan say together."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from bayplan.cluster.serving_booking import LoadState

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bayplan.serving.books.model_replica import ModelReplica
    from bayplan.serving.planning.holdings import Holdings
    from bayplan.serving.planning.model_plan import ModelPlan
    from bayplan.serving.planning.refusals import Refusals


class ModelState(StrEnum):
    """The words of Seldon for the state of a model."""

    AVAILABLE = "ModelAvailable"
    PROGRESSING = "ModelProgressing"
    FAILED = "ModelFailed"
    SCALED_DOWN = "ModelScaledDown"
    TERMINATING = "ModelTerminating"
    TERMINATED = "ModelTerminated"
    TERMINATE_FAILED = "ModelTerminateFailed"
    SCHEDULE_FAILED = "ScheduleFailed"


PRELOADED_AWAITED = "preloaded-awaited"
NO_MATCHING_SERVER = "no-matching-server"
REPLICAS_SHORT = "replicas-short"

_UNAVAILABLE = frozenset(
    {
        LoadState.LOAD_REQUESTED,
        LoadState.LOADING,
        LoadState.LOADED,
        LoadState.LOADED_UNAVAILABLE,
        LoadState.LOAD_FAILED,
    }
)
_FAILED = frozenset({LoadState.LOAD_FAILED, LoadState.LOADED_UNAVAILABLE})


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """`versions`: the state of each older version that has bookings, oldest first."""

    state: ModelState
    reason: str | None
    desired: int
    replicas: int
    available_replicas: int
    server: str | None
    versions: tuple[tuple[int, ModelState], ...] = ()

    @property
    def ready(self) -> bool:
        """Whether requests are served."""
        return self.state is ModelState.AVAILABLE

    @property
    def scheduled(self) -> str | None:
        """`fully`, `partially` or `not`; None where neither can be said."""
        if self.ready:
            return "fully" if self.available_replicas >= self.desired else "partially"
        return "not" if self.state is ModelState.SCHEDULE_FAILED else None


def model_status(plan: ModelPlan) -> ModelStatus:
    """The status before the plan is carried out; a plan that refuses must have its reasons."""
    model, holdings = plan.model, plan.holdings
    available = sum(each.state is LoadState.AVAILABLE for each in holdings.own)
    unavailable = sum(each.state in _UNAVAILABLE for each in holdings.own)
    if model.deleted:
        state, reason = ended((*holdings.own, *holdings.older, *holdings.higher)), None
    else:
        state, reason = _state(plan, available)
    older = sorted({each.version for each in holdings.older})
    return ModelStatus(
        state,
        reason,
        model.desired,
        available + unavailable,
        available,
        holdings.current_server,
        tuple((number, ended([each for each in holdings.older if each.version == number])) for number in older),
    )


def ended(bookings: Sequence[ModelReplica]) -> ModelState:
    """How far the end of a model or of an older version is."""
    if any(each.state is LoadState.UNLOAD_FAILED for each in bookings):
        return ModelState.TERMINATE_FAILED
    return ModelState.TERMINATING if any(each.holding for each in bookings) else ModelState.TERMINATED


def _state(plan: ModelPlan, available: int) -> tuple[ModelState, str | None]:
    """The first row of the table that holds, and its reason."""
    model, holdings = plan.model, plan.holdings
    if available >= model.replicas > 0:
        return ModelState.AVAILABLE, None
    if any(each.state in _FAILED for each in holdings.own):
        return ModelState.FAILED, None
    if not available and not model.replicas:
        return ModelState.SCALED_DOWN, None
    if _serves(holdings, available, model.minimum):
        return ModelState.AVAILABLE, None
    if plan.refused:
        return _refused(plan)
    return ModelState.PROGRESSING, None


def _serves(holdings: Holdings, available: int, minimum: int) -> bool:
    """Whether the minimum is there, or some replicas beside an older version that still serves."""
    if minimum and available >= minimum:
        return True
    return available > 0 and _is_available(holdings.older)


def _is_available(bookings: Iterable[ModelReplica]) -> bool:
    return any(each.state is LoadState.AVAILABLE for each in bookings)


def _refused(plan: ModelPlan) -> tuple[ModelState, str]:
    if plan.model.preloaded and not plan.holdings.here:
        return ModelState.PROGRESSING, PRELOADED_AWAITED
    return ModelState.SCHEDULE_FAILED, refusal_reason(plan.refusals)


def refusal_reason(refusals: Refusals | None) -> str:
    """`replicas-short` where a server could run the model and has too few replicas for it."""
    servers = () if refusals is None else refusals.servers.values()
    return REPLICAS_SHORT if any(each.eligible and each.could_run for each in servers) else NO_MATCHING_SERVER
