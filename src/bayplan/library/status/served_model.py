"""The status of a Model of Seldon: whether it serves, on which server, and why not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.library.status.conditions import Condition, conditions_of, with_conditions
from bayplan.library.status.documents import Object, generation_of, part, with_fields
from bayplan.library.status.moments import moment_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.serving.statuses.model_status import ModelStatus

READY, MODEL_READY = "Ready", "ModelReady"
_OWNED = (READY, MODEL_READY)


def served_model_status(model: Mapping[str, Any], status: ModelStatus, detail: str, now: float) -> Object:
    """The new status; its server and version are written by whoever books, and stay.

    As in Seldon the message of a condition is the state, and the reason says more; here it is a sentence.
    """
    told = [Condition(each, status.ready, detail or status.state.value, status.state.value) for each in _OWNED]
    return with_fields(
        part(model, "status"),
        replicas=status.replicas,
        availableReplicas=status.available_replicas,
        selector=None if status.server is None else f"server={status.server}",
        observedGeneration=generation_of(model),
        conditions=with_conditions(conditions_of(model), told, _OWNED, moment_text(now)),
    )


def unreadable_model_status(model: Mapping[str, Any], problem: str, now: float) -> Object:
    """The status of a Model that cannot be read."""
    told = [Condition(each, False, problem, "ModelFailed") for each in _OWNED]
    return with_fields(
        part(model, "status"),
        replicas=0,
        availableReplicas=0,
        selector=None,
        observedGeneration=generation_of(model),
        conditions=with_conditions(conditions_of(model), told, _OWNED, moment_text(now)),
    )
