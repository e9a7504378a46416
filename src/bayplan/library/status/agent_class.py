"""The status of an AgentClass: whether its model exists, and how many pools use it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.library.status.conditions import Condition, conditions_of, with_conditions
from bayplan.library.status.documents import Object, generation_of, part, with_fields
from bayplan.library.status.moments import moment_text

if TYPE_CHECKING:
    from collections.abc import Mapping

_OWNED = ("Ready",)


def agent_class_status(agent_class: Mapping[str, Any], model: str, found: bool, pools: int, now: float) -> Object:
    """The new status; `model` is the name that the class gives, `found` whether there is such a Model."""
    if found:
        ready = Condition("Ready", True, "ModelFound", f"Model {model} exists")
    elif model:
        ready = Condition(
            "Ready", False, "ModelNotFound", f"there is no Model {model}; its pools are placed all the same"
        )
    else:
        ready = Condition("Ready", False, "NoModel", "modelRef names no model")
    return with_fields(
        part(agent_class, "status"),
        phase="Ready" if found else "Pending",
        activePools=pools,
        observedGeneration=generation_of(agent_class),
        conditions=with_conditions(conditions_of(agent_class), [ready], _OWNED, moment_text(now)),
    )
